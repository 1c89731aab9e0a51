import { createHash, timingSafeEqual } from 'node:crypto';
import { type Handler, headerOf, jsonReply, type ListenReply, type ListenRequest } from '../../listen/message.ts';
import { securityHeaders } from '../page-http.ts';

export interface GuardOptions {
  /** Gives access to the console. */
  readonly token: string;
  /** The address of the server. */
  readonly ownUrl: () => string;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Restricts the console to users who have its address. A page of another site gets nothing: it does not know the token, which no
 * browser sends by itself. Requests to other host names than the loopback ones (DNS rebinding) are refused, and requests that a
 * browser marks as coming from another origin, also from another port of this machine.
 */
export class Guard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** For the page's scripts and styles, which hold no secret. */
  onLoopback(handler: Handler): Handler {
    return (request) => (this.#isOnLoopback(request) ? handler(request) : NOT_LOOPBACK);
  }

  /** For the page itself: the token is in its address. */
  page(handler: Handler): Handler {
    return this.onLoopback((request) => {
      const token = new URLSearchParams(request.query).get('token') ?? '';
      return this.#isToken(token) ? handler(request) : NO_TOKEN_IN_ADDRESS;
    });
  }

  /** For the requests of the page: the token is in a header, `Authorization: Bearer`. */
  api(handler: Handler): Handler {
    return this.onLoopback((request) => {
      if (!isSameOrigin(request)) return OTHER_ORIGIN;
      const [, token = ''] = /^Bearer ([^\s]+)$/.exec(headerOf(request.headers, 'authorization') ?? '') ?? [];
      return this.#isToken(token) ? handler(request) : NO_TOKEN;
    });
  }

  #isOnLoopback({ headers }: ListenRequest): boolean {
    const { port } = new URL(this.#options.ownUrl());
    const host = headerOf(headers, 'host')?.toLowerCase();
    return LOOPBACK.some((name) => host === (port === '' ? name : `${name}:${port}`));
  }

  /** Takes the same time for every wrong token. */
  #isToken(given: string): boolean {
    return timingSafeEqual(digest(given), digest(this.#options.token));
  }
}

/** Whether the request may come from the console's own page. Clients other than browsers send no origin, and need the token. */
function isSameOrigin({ headers }: ListenRequest): boolean {
  const site = headerOf(headers, 'sec-fetch-site');
  const origin = headerOf(headers, 'origin');
  const own = `http://${headerOf(headers, 'host')?.toLowerCase()}`;
  return (site === undefined || site === 'same-origin') && (origin === undefined || origin === own);
}

function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

function refused(status: number, message: string): ListenReply {
  return jsonReply(status, { message }, securityHeaders('forbidden'));
}

const NOT_LOOPBACK = refused(403, 'The console is only reached on this machine, by the address that croupier printed.');
const OTHER_ORIGIN = refused(403, 'The console answers its own page alone.');
const NO_TOKEN = refused(401, 'The token is missing or wrong. Send it as Authorization: Bearer.');
const NO_TOKEN_IN_ADDRESS = refused(
  401,
  'The token is missing or wrong: open the console by the whole address that croupier printed when it started.',
);
