import { gunzipSync } from 'node:zlib';
import type { CoreOperation } from '../contract/core-api.ts';
import type { Outcome, Stamps } from '../journal/exchange.ts';
import { type Handler, type HeaderPairs, headerOf, type ListenReply, type ListenRequest } from '../listen/message.ts';
import { type Route, routeTable } from '../listen/routes.ts';
import type { Refused } from '../listen/server.ts';
import { bodyOf } from '../wire/body.ts';
import type { LaunchSeen } from './core-api/context.ts';
import type { Watch } from './core-api/core-api.ts';
import type { ExchangeLabel, ExchangeLog } from './exchange-log.ts';

export interface CoreExchangesOptions {
  readonly log: ExchangeLog;
  /** Where a request was sent to, without a slash at the end. */
  readonly publicUrl: (request: Pick<ListenRequest, 'headers'>) => string;
  /** A monotonic clock that runs in milliseconds. */
  readonly now: () => number;
  /** Called with each request to the Core API, once it is answered. */
  readonly onSeen: (seen: LaunchSeen) => void;
}

/** Writes the requests to the Core API into the log, also those that did not reach an operation. */
export class CoreExchanges {
  readonly #options: CoreExchangesOptions;

  constructor(options: CoreExchangesOptions) {
    this.#options = options;
  }

  /** Logs a request to an operation when it arrives and when it is answered, and passes it on to `onSeen`. */
  readonly watch: Watch = (operation: CoreOperation, request: ListenRequest) => {
    const start = this.#options.now();
    const exchange = this.#options.log.begin(
      labelOf(`${operation.method} ${operation.path}`),
      this.#requestOf(request),
    );
    return (seen, reply) => {
      const label = { extCID: seen.extCID ?? null, gsID: seen.session?.gsID ?? null };
      exchange.end({ outcome: outcomeOf(reply), stamps: this.#stampsFrom(start), connection: null, label });
      this.#options.onSeen(seen);
    };
  };

  /** Returns a handler that answers by the routes. It logs requests to unknown addresses, so that an operator sees a wrong path. */
  handlerOf(routes: readonly Route[]): Handler {
    const table = routeTable(routes);
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
    return async (request) => {
      const reply = await table(request);
      if (!known.has(`${request.method} ${request.path}`)) this.#logUnrouted(request, reply);
      return reply;
    };
  }

  #logUnrouted(request: ListenRequest, reply: ListenReply): void {
    const exchange = this.#options.log.begin(labelOf(`${request.method} ${request.path}`), this.#requestOf(request));
    exchange.end({ outcome: outcomeOf(reply), stamps: this.#stampsFrom(this.#options.now()), connection: null });
  }

  /** Logs a request that was refused because it is not valid HTTP, or too large. */
  refused({ status, message, head }: Refused): void {
    const { method = 'GET', target = '/', headers = [] } = head ?? {};
    const name = head ? `${method} ${target.split('?', 1)[0]}` : 'not HTTP';
    const url = `${this.#options.publicUrl({ headers })}${target}`;
    const exchange = this.#options.log.begin(labelOf(name), { method, url, headers, body: null });
    const outcome = outcomeOf({ status, headers: [], body: JSON.stringify({ message }) });
    exchange.end({ outcome, stamps: this.#stampsFrom(this.#options.now()), connection: null });
  }

  #requestOf(request: ListenRequest) {
    const { method, path, query, headers, body } = request;
    const url = `${this.#options.publicUrl(request)}${path}${query === '' ? '' : `?${query}`}`;
    return { method, url, headers, body: body.length === 0 ? null : bodyOf(body) };
  }

  /** The whole request had arrived when its exchange began. */
  #stampsFrom(start: number): Stamps {
    const end = this.#options.now();
    return { start, resolved: null, connected: null, secured: null, sent: start, firstByte: end, end };
  }
}

function labelOf(name: string): ExchangeLabel {
  return { direction: 'core', name, extCID: null, gsID: null, roundID: null, notes: [] };
}

/** The reply as its reader sees it, not compressed. */
function outcomeOf({ status, headers, body }: ListenReply): Outcome {
  return { kind: 'reply', reply: { status, headers, body: bodyOf(bytesOf(body, headers)) } };
}

function bytesOf(body: ListenReply['body'], headers: HeaderPairs): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body);
  // The Core API sends no streams.
  if (!(body instanceof Uint8Array)) return Buffer.alloc(0);
  return headerOf(headers, 'content-encoding') === 'gzip' ? gunzipSync(body) : body;
}
