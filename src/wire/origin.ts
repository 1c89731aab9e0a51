/** Where a URL points to, as far as a connection cares. */
export interface Origin {
  /** Scheme and authority, the same text for the same origin. */
  readonly key: string;
  readonly secure: boolean;
  /** As a Host header would name it. */
  readonly authority: string;
  /** Without the brackets of IPv6. */
  readonly hostname: string;
  readonly port: number;
}

const ABSOLUTE = /^(https?:\/\/[^/?#]+)([^#]*)$/;

/**
 * Splits an absolute http or https URL without re-encoding anything: deviating requests depend on their exact bytes.
 *
 * @throws TypeError when it is no such URL
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

/** Reads scheme and authority (`https://host:1234`). */
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

/** An address with an optional port, as a host override gives it: `10.0.0.7`, `staging:8443`, `[::1]:8080`. */
export function readAddress(text: string): { readonly hostname: string; readonly port: number | null } {
  const match = /^(\[[0-9a-fA-F:.%]+\]|[^:/?#@[\]\s]+)(?::(\d{1,5}))?$/.exec(text);
  const port = match?.[2] === undefined ? null : Number(match[2]);
  if (!match || (port !== null && (port < 1 || port > 65535))) {
    throw new TypeError(
      `not an address with an optional port: ${JSON.stringify(text)}. Write host, host:port or [v6]:port`,
    );
  }
  return { hostname: bare(match[1] ?? ''), port };
}
