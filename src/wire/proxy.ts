/** An HTTP proxy that tunnels with CONNECT. */
export interface HttpProxy {
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** The value of Proxy-Authorization; a secret. */
  readonly authorization: string | null;
}

/**
 * Reads `http://user:password@host:3128`.
 *
 * @throws TypeError that does not repeat the text, as it may hold a password
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
