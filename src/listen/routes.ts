import { type Handler, jsonReply } from './message.ts';

export interface Route {
  readonly method: string;
  /** Compared to the letter with the path as it was sent; no patterns. */
  readonly path: string;
  readonly handler: Handler;
}

/**
 * One handler out of many: finds the route by path and method. An unknown path is answered 404, a known one with another
 * method 405 with `Allow` (RFC 9110, 15.5.6), both with a JSON `message`.
 *
 * @throws RangeError when two routes have the same method and path
 */
export function routeTable(routes: readonly Route[]): Handler {
  const byPath = new Map<string, Map<string, Handler>>();
  for (const { method, path, handler } of routes) {
    const methods = byPath.get(path) ?? new Map<string, Handler>();
    if (methods.has(method)) throw new RangeError(`two handlers for ${method} ${path}: give each its own path`);
    byPath.set(path, methods.set(method, handler));
  }
  return (request) => {
    const methods = byPath.get(request.path);
    if (!methods) return jsonReply(404, { message: `There is nothing at ${request.path}.` });
    const handler = methods.get(request.method);
    if (handler) return handler(request);
    const allowed = [...methods.keys()].join(', ');
    return jsonReply(405, { message: `${request.path} answers ${allowed} only.` }, [['Allow', allowed]]);
  };
}
