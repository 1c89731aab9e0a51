import { createHash, timingSafeEqual } from 'node:crypto';
import { type Handler, headerOf, jsonReply, type ListenReply, type ListenRequest } from '../listen/message.ts';
import { securityHeaders } from './page-http.ts';

export interface GuardOptions {
  /** The name of the page in messages, such as `console`. */
  readonly name: string;
  /** The secret that gives access to the page. */
  readonly token: string;
  /** Returns the addresses at which the page may be opened, such as `http://127.0.0.1:5000`. */
  readonly origins: () => readonly string[];
}

/**
 * Protects a page and its requests against other users and other sites. A request must contain the token. A page of another
 * site does not know the token, and no browser sends it by itself. The guard refuses requests to other host names than its own,
 * because another site can point its own name at this machine (DNS rebinding). It also refuses requests that the browser marks
 * as coming from another origin.
 */
export class Guard {
  readonly #options: GuardOptions;
  readonly #refusals: Readonly<Record<'host' | 'origin' | 'token' | 'address', ListenReply>>;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#refusals = refusals(options.name);
  }

  /** Protects the scripts and styles of the page. They need no token, because they contain no secret. */
  atOwnHost(handler: Handler): Handler {
    return (request) => (this.#isOwnHost(request) ? handler(request) : this.#refusals.host);
  }

  /** Protects the page itself. Its address must contain the token. */
  page(handler: Handler): Handler {
    return this.atOwnHost((request) => {
      const token = new URLSearchParams(request.query).get('token') ?? '';
      return this.#isToken(token) ? handler(request) : this.#refusals.address;
    });
  }

  /** Protects the requests that the page sends. They must carry the token in the header `Authorization: Bearer`. */
  api(handler: Handler): Handler {
    return this.atOwnHost((request) => {
      if (!isSameOrigin(request, this.#options.origins())) return this.#refusals.origin;
      const [, token = ''] = /^Bearer ([^\s]+)$/.exec(headerOf(request.headers, 'authorization') ?? '') ?? [];
      return this.#isToken(token) ? handler(request) : this.#refusals.token;
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

/** Returns a page for a person who opens an address in a browser. The texts are croupier's own, so they need no escaping. */
function refusedPage(status: number, title: string, message: string): ListenReply {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<main><h1>${title}</h1><p>${message}</p></main>
</html>
`;
  return { status, headers: [['Content-Type', 'text/html; charset=utf-8'], ...securityHeaders('forbidden')], body };
}

function refusals(name: string) {
  return {
    host: refused(403, `The ${name} can only be opened at its own address. Use the address that croupier printed.`),
    origin: refused(403, `The ${name} accepts requests from its own page only.`),
    token: refused(401, 'The token is missing or wrong. Send it in the header Authorization: Bearer.'),
    address: refusedPage(
      401,
      `The ${name} can’t be opened`,
      'The token in the address is missing or wrong. Open the complete address that croupier printed when it started. Each start has a new token.',
    ),
  };
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Returns the addresses at which a page may be opened. The addresses on loopback are always included. If the server listens on
 * another address, its own address and the public address are included too, because other machines open the page there.
 */
export function pageOrigins(ownUrl: string, host = '127.0.0.1', publicUrl?: string): readonly string[] {
  const own = new URL(ownUrl);
  const local = LOOPBACK.map((name) => new URL(`http://${name}:${own.port}`).origin);
  if (isLoopback(host)) return local;
  return [...local, own.origin, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])];
}

/** Returns true if only programs on this machine can reach a server that listens on the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
