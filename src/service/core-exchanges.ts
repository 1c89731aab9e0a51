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
  /** Returns the address at which the sender of a request reaches the service, without a trailing slash. */
  readonly publicUrl: (request: Pick<ListenRequest, 'headers'>) => string;
  /** Returns the milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Is called with each request to the Core API after it is answered. */
  readonly onSeen: (seen: LaunchSeen) => void;
}

/** Writes the requests to the Core API into the log, including requests that reach no operation. */
export class CoreExchanges {
  readonly #options: CoreExchangesOptions;

  constructor(options: CoreExchangesOptions) {
    this.#options = options;
  }

  /** Logs a request to an operation twice: when it arrives, and when it is answered. Then calls `onSeen`. */
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

  /**
   * Returns a handler that answers requests by the routes. It also logs requests to unknown addresses, so that
   * operators can see when they call a wrong path.
   */
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

  /** Logs a request that the server refused because it is not valid HTTP, or is too large. */
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

  /**
   * Returns the time stamps of an exchange that ends now. The log entry begins after the whole request has arrived, so
   * `sent` equals `start`.
   */
  #stampsFrom(start: number): Stamps {
    const end = this.#options.now();
    return { start, resolved: null, connected: null, secured: null, sent: start, firstByte: end, end };
  }
}

function labelOf(name: string): ExchangeLabel {
  return { direction: 'core', name, extCID: null, gsID: null, roundID: null, notes: [] };
}

/** Returns the reply with its body decompressed, so that the log can show it. */
function outcomeOf({ status, headers, body }: ListenReply): Outcome {
  return { kind: 'reply', reply: { status, headers, body: bodyOf(bytesOf(body, headers)) } };
}

function bytesOf(body: ListenReply['body'], headers: HeaderPairs): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body);
  // A stream can't be logged as one body. The Core API sends no streams.
  if (!(body instanceof Uint8Array)) return Buffer.alloc(0);
  return headerOf(headers, 'content-encoding') === 'gzip' ? gunzipSync(body) : body;
}
