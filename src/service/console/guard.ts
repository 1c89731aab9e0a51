import { createHash, timingSafeEqual } from 'node:crypto';
import { type Handler, headerOf, jsonReply, type ListenReply, type ListenRequest } from '../../listen/message.ts';
import { securityHeaders } from '../page-http.ts';

export interface GuardOptions {
  /** The secret that gives access to the console. */
  readonly token: string;
  /** Returns the addresses at which the console may be opened, such as `http://127.0.0.1:5000`. */
  readonly origins: () => readonly string[];
}

/**
 * Protects the console against other users and other sites. A request must contain the token. A page of another site does not
 * know the token, and no browser sends it by itself. The console refuses requests to other host names than its own, because
 * another site can point its own name at this machine (DNS rebinding). It also refuses requests that the browser marks as
 * coming from another origin.
 */
export class Guard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** Protects the scripts and styles of the page. They need no token, because they contain no secret. */
  atOwnHost(handler: Handler): Handler {
    return (request) => (this.#isOwnHost(request) ? handler(request) : OTHER_HOST);
  }

  /** Protects the page itself. Its address must contain the token. */
  page(handler: Handler): Handler {
    return this.atOwnHost((request) => {
      const token = new URLSearchParams(request.query).get('token') ?? '';
      return this.#isToken(token) ? handler(request) : NO_TOKEN_IN_ADDRESS;
    });
  }

  /** Protects the requests that the page sends. They must carry the token in the header `Authorization: Bearer`. */
  api(handler: Handler): Handler {
    return this.atOwnHost((request) => {
      if (!isSameOrigin(request, this.#options.origins())) return OTHER_ORIGIN;
      const [, token = ''] = /^Bearer ([^\s]+)$/.exec(headerOf(request.headers, 'authorization') ?? '') ?? [];
      return this.#isToken(token) ? handler(request) : NO_TOKEN;
    });
  }

  #isOwnHost({ headers }: ListenRequest): boolean {
    const host = headerOf(headers, 'host')?.toLowerCase();
    return this.#options.origins().some((origin) => new URL(origin).host === hostOf(host));
  }

  /** Compares a token in constant time, so that nobody can find out the right token from the time of the reply. */
  #isToken(given: string): boolean {
    return timingSafeEqual(digest(given), digest(this.#options.token));
  }
}

/**
 * Returns true if the request may come from the console's own page. Programs other than browsers send neither `Sec-Fetch-Site`
 * nor `Origin`, so only the token protects against them.
 */
function isSameOrigin({ headers }: ListenRequest, origins: readonly string[]): boolean {
  const site = headerOf(headers, 'sec-fetch-site');
  const origin = headerOf(headers, 'origin');
  const host = hostOf(headerOf(headers, 'host')?.toLowerCase());
  const isOwn = (one: string) => new URL(one).host === host && new URL(one).origin === origin;
  return (site === undefined || site === 'same-origin') && (origin === undefined || origins.some(isOwn));
}

/** Returns a Host header as `URL` writes a host: without the port 80. */
function hostOf(header: string | undefined): string | undefined {
  return header?.replace(/:80$/, '');
}

function digest(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

function refused(status: number, message: string): ListenReply {
  return jsonReply(status, { message }, securityHeaders('forbidden'));
}

const OTHER_HOST = refused(
  403,
  'The console can only be opened at its own address. Use the address that croupier printed.',
);
const OTHER_ORIGIN = refused(403, 'The console accepts requests from its own page only.');
const NO_TOKEN = refused(401, 'The token is missing or wrong. Send it in the header Authorization: Bearer.');
const NO_TOKEN_IN_ADDRESS = refused(
  401,
  'The token is missing or wrong. Open the console with the complete address that croupier printed when it started.',
);
