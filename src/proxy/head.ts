import type { HeaderList } from '../journal/exchange.ts';

/** The head of a message of HTTP/1.x as it came: its first line, its header lines, and the bytes of both. */
export interface Head {
  /** Without the line end. Bytes are read as Latin-1, so that they can be written again unchanged. */
  readonly firstLine: string;
  /** Each line as it came, without the line end. */
  readonly lines: readonly string[];
  readonly headers: HeaderList;
}

/** What is to be read of a connection after a head, before the next head comes. */
export type Framing =
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-close' };

const EMPTY: Framing = { kind: 'length', length: 0 };

/** Reads a head, its empty last line left out. null: it is no HTTP. */
export function readHead(bytes: Buffer): Head | null {
  const [firstLine = '', ...lines] = bytes.toString('latin1').split('\r\n');
  if (!/^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]|HTTP\/1\.[01] \d{3}(?: .*)?)$/.test(firstLine)) return null;
  const headers = lines.map((line): readonly [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, Math.max(0, colon)), line.slice(colon + 1).trim()];
  });
  return headers.every(([name]) => name !== '') ? { firstLine, lines, headers } : null;
}

/** Where the body of a request ends (RFC 9112, 6.3). null: it can't be told, as when two lengths are given. */
export function requestFraming(head: Head): Framing | null {
  return framing(head, EMPTY);
}

/** Where the body of a reply ends (RFC 9112, 6.3). null: it can't be told. */
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

/** Where the operator is, as far as a head must say it. */
export interface Destination {
  /** The path of its base URL, without a slash at the end: a call's path is appended. */
  readonly basePath: string;
  /** Its name and port, as its Host header says them. */
  readonly authority: string;
}

/**
 * The head of a request as the operator gets it: the base URL's path before the call's own, and the operator's Host in the place of ours.
 * Everything else is as it came, to the byte: one connection to the operator stands for each of the service's, so that what they say
 * of their connection stays true.
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

/** The path and query that the operator gets, from the target of a request to us, also in its absolute form (RFC 9112, 3.2.2). */
export function forwardedTarget(target: string, basePath: string): string {
  if (target === '*') return target;
  const origin = target.startsWith('/') ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return `${basePath}${origin.startsWith('/') ? '' : '/'}${origin}`;
}
