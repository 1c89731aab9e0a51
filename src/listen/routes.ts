import { type Handler, jsonReply } from './message.ts';

export interface Route {
  readonly method: string;
  /** The path, which must be equal to the path of the request. Patterns are not supported. */
  readonly path: string;
  readonly handler: Handler;
}

/**
 * Returns a handler that finds the route by path and method. It answers 404 to an unknown path, and 405 with `Allow` to
 * another method (RFC 9110, 15.5.6). Both replies have a JSON `message`.
 *
 * @throws RangeError if two routes have the same method and path
 */
export function routeTable(routes: readonly Route[]): Handler {
  const byPath = new Map<string, Map<string, Handler>>();
  for (const { method, path, handler } of routes) {
    const methods = byPath.get(path) ?? new Map<string, Handler>();
    if (methods.has(method))
      throw new RangeError(`there are two handlers for ${method} ${path}; give each handler its own path`);
    byPath.set(path, methods.set(method, handler));
  }
  return (request) => {
    const methods = byPath.get(request.path);
    if (!methods) return jsonReply(404, { message: `There is nothing at ${request.path}.` });
    const handler = methods.get(request.method);
    if (handler) return handler(request);
    const allowed = [...methods.keys()].join(', ');
    return jsonReply(405, { message: `${request.path} accepts only ${allowed}.` }, [['Allow', allowed]]);
  };
}
