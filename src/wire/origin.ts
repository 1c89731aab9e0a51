/** The part of a URL that a connection needs. */
export interface Origin {
  /** The scheme and authority. The same origin always has the same text. */
  readonly key: string;
  readonly secure: boolean;
  /** The host and port, as in a Host header. */
  readonly authority: string;
  /** The host name. An IPv6 address has no brackets. */
  readonly hostname: string;
  readonly port: number;
}

const ABSOLUTE = /^(https?:\/\/[^/?#]+)((?:[/?][^#]*)?)$/;

/**
 * Splits an absolute http or https URL without encoding it again, because deviating requests depend on their exact bytes.
 *
 * @throws TypeError for any other text
 */
export function splitUrl(url: string): { readonly base: string; readonly target: string } {
  const match = ABSOLUTE.exec(url);
  if (!match) throw new TypeError('not an absolute http or https URL');
  const target = match[2] ?? '';
  return { base: match[1] ?? '', target: target.startsWith('/') ? target : `/${target}` };
}

function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Reads a scheme and authority (`https://host:1234`). */
export function readOrigin(base: string): Origin {
  const url = new URL(base);
  const secure = url.protocol === 'https:';
  return {
    key: base,
    secure,
    authority: url.host,
    hostname: bare(url.hostname),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
  };
}

/**
 * Reads the address of a host override, with an optional port: `10.0.0.7`, `staging:8443`, `[::1]:8080`.
 *
 * @throws TypeError for any other text
 */
export function readAddress(text: string): { readonly hostname: string; readonly port: number | null } {
  const match = /^(\[[0-9a-fA-F:.%]+\]|[^:/?#@[\]\s]+)(?::(\d{1,5}))?$/.exec(text);
  const port = match?.[2] === undefined ? null : Number(match[2]);
  if (!match || (port !== null && (port < 1 || port > 65535))) {
    throw new TypeError(
      `not an address with an optional port: ${JSON.stringify(text)}. Write host, host:port or [IPv6 address]:port`,
    );
  }
  return { hostname: bare(match[1] ?? ''), port };
}

/** An HTTP proxy that opens tunnels by CONNECT. */
export interface HttpProxy {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** The value of the Proxy-Authorization header, which is secret. null if the proxy needs no such header. */
  readonly authorization: string | null;
}

/**
 * Reads the URL of a proxy: `http://user:password@host:3128`.
 *
 * @throws TypeError that does not quote the URL, because the URL may contain a password
 */
export function readProxy(text: string): HttpProxy {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw new TypeError('the proxy is not an http or https URL. Write http://host:port');
  }
  const secure = url.protocol === 'https:';
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    secure,
    hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    authorization: credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}
