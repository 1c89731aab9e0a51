import { createHash, timingSafeEqual } from 'node:crypto';
import { type Handler, headerOf, jsonReply, type ListenReply, type ListenRequest } from '../../listen/message.ts';
import { securityHeaders } from '../page-http.ts';

export interface GuardOptions {
  /** The secret that gives access to the console. */
  readonly token: string;
  /** Returns the address of the server. */
  readonly ownUrl: () => string;
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Protects the console against other users and other sites. A request must carry the token, which a page of another
 * site does not know and no browser sends by itself. Requests to host names other than loopback are refused, because
 * another site can point its own name at this machine (DNS rebinding). Requests that the browser marks as coming from
 * another origin are refused too.
 */
export class Guard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Protects the scripts and styles of the page. They need no token, because they contain no secret. */
  onLoopback(handler: Handler): Handler {
    return (request) => (this.#isOnLoopback(request) ? handler(request) : NOT_LOOPBACK);
  }

  /** Protects the page itself. Its address must contain the token. */
  page(handler: Handler): Handler {
    return this.onLoopback((request) => {
      const token = new URLSearchParams(request.query).get('token') ?? '';
      return this.#isToken(token) ? handler(request) : NO_TOKEN_IN_ADDRESS;
    });
  }

  /** Protects the requests that the page sends. They must carry the token in the header `Authorization: Bearer`. */
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

  /** Compares a token in constant time, so that the time of the reply reveals nothing about the right token. */
  #isToken(given: string): boolean {
    return timingSafeEqual(digest(given), digest(this.#options.token));
  }
}

/**
 * Returns true if the request may come from the console's own page. Programs other than browsers send neither header,
 * so only the token protects against them.
 */
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

const NOT_LOOPBACK = refused(
  403,
  'The console can only be opened on this machine. Use the address that croupier printed.',
);
const OTHER_ORIGIN = refused(403, 'The console accepts requests from its own page only.');
const NO_TOKEN = refused(401, 'The token is missing or wrong. Send it in the header Authorization: Bearer.');
const NO_TOKEN_IN_ADDRESS = refused(
  401,
  'The token is missing or wrong. Open the console with the complete address that croupier printed when it started.',
);
