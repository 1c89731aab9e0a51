import type { HeaderList } from '../../journal/exchange.ts';

/** The head of an HTTP/1.x message as received: its first line and its header lines. */
export interface Head {
  /**
   * The first line without its line end. Its bytes are decoded as Latin-1. So encoding the text as Latin-1 gives the same bytes
   * again.
   */
  readonly firstLine: string;
  /** The header lines as received, without line ends. */
  readonly lines: readonly string[];
  readonly headers: HeaderList;
}

/** The way in which the end of a body is found: by its length, by its chunks, or by the end of the connection. */
export type Framing =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-close' };

const EMPTY: Framing = { kind: 'length', length: 0 };

/** Parses a head, given without the empty line that ends it. Returns null if the bytes are not HTTP. */
export function readHead(bytes: Buffer): Head | null {
  const [firstLine = '', ...lines] = bytes.toString('latin1').split('\r\n');
  // Such characters are dangerous, because receivers differ: some receivers take them for the end of a line, and some refuse the
  // head.
  if (lines.some((line) => /[\0\r\n]/.test(line))) return null;
  if (!/^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]|HTTP\/1\.[01] \d{3}(?: .*)?)$/.test(firstLine)) return null;
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, Math.max(0, colon)), line.slice(colon + 1).trim()];
  });
  return headers.every(([name]) => name !== '') ? { firstLine, lines, headers } : null;
}

/**
 * Returns how the end of a request body is found (RFC 9112, 6.3). Returns null if the head is ambiguous, for example because it has
 * two different lengths.
 */
export function requestFraming(head: Head): Framing | null {
  return framing(head, EMPTY);
}

/** Returns how the end of a reply body is found (RFC 9112, 6.3). Returns null if the head is ambiguous. */
export function replyFraming(head: Head, status: number, method: string): Framing | null {
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return EMPTY;
  return framing(head, { kind: 'until-close' });
}

function framing({ headers }: Head, otherwise: Framing): Framing | null {
  const values = (wanted: string): readonly string[] =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));
  const codings = values('transfer-encoding');
  const lengths = values('content-length');
  if (codings.length > 0) {
    const isChunked = /^(?:.*,)?\s*chunked\s*$/i.test(codings.join(','));
    return isChunked && lengths.length === 0 ? { kind: 'chunked' } : null;
  }
  const [length] = lengths;
  if (length === undefined) return otherwise;
  const isPlain = /^\d{1,15}$/.test(length) && lengths.every((other) => other === length);
  return isPlain ? { kind: 'length', length: Number(length) } : null;
}

/** The parts of the operator's address that a request head contains. */
export interface Destination {
  /** The path of the base URL, without a slash at the end. The path of a call is appended to it. */
  readonly basePath: string;
  /** Host name and port, as in the Host header. */
  readonly authority: string;
}

/**
 * Returns the request head for the operator. Puts the path of the base URL before the path of the call, and writes the operator's
 * host into the Host header. All other bytes are unchanged. The headers about the connection stay correct, because the proxy opens
 * a separate connection to the operator for each connection of the service.
 */
export function forwardedHead(head: Head, destination: Destination): Buffer {
  const [method = '', target = '', version = ''] = head.firstLine.split(' ');
  const lines = head.lines.map((line, at) => {
    const name = head.headers[at]?.[0] ?? '';
    if (name.toLowerCase() !== 'host') return line;
    const [blank = ' '] = /^[ \t]*/.exec(line.slice(name.length + 1)) ?? [];
    return `${name}:${blank}${destination.authority}`;
  });
  const first = `${method} ${forwardedTarget(target, destination.basePath)} ${version}`;
  return Buffer.from(`${[first, ...lines].join('\r\n')}\r\n\r\n`, 'latin1');
}

/**
 * Returns the request target that is sent to the operator: the target of the service's request, after the operator's base path.
 * If the target is a whole URL (the absolute form, RFC 9112, 3.2.2), its scheme and host are left out.
 */
export function forwardedTarget(target: string, basePath: string): string {
  if (target === '*') return target;
  const origin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return `${basePath}${origin.startsWith('/') ? '' : '/'}${origin}`;
}
