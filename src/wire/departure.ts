import type { HeaderList } from '../journal/exchange.ts';
import { splitUrl } from './origin.ts';
import type { BuiltRequest } from './request.ts';

/** When a connection is broken on purpose. */
export type BreakMoment =
  | { readonly at: 'head' } // once the headers are out
  | { readonly at: 'half-body' } // once half of the body is out
  | { readonly at: 'sent'; readonly afterMs: number }; // so long after the last byte is out, unless the reply came before

/** How the body of a request dribbles out. */
export interface Trickle {
  readonly pieces: number;
  /** Before each piece. */
  readonly gapMs: number;
}

/** The bytes of a request, in the portions in which they leave. */
export interface Departure {
  readonly portions: readonly Uint8Array[];
  readonly gapMs: number;
  /** The last byte, where it is held back until the release. */
  readonly last: Uint8Array | null;
  /** Broken once the portions are out: they are not the whole request. */
  readonly partial: boolean;
  /** Broken so long after the whole request is out. */
  readonly breakAfterMs: number | null;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const TARGET = /^[\x21-\x7e]+$/;

function has(headers: HeaderList, name: string): boolean {
  return headers.some(([key]) => key.toLowerCase() === name);
}

/**
 * The head of a request as it goes over the wire: the headers in their order and letter case, preceded by Host and
 * followed by Content-Length where the list has none.
 *
 * @throws TypeError when a header or the target could not be sent as HTTP
 */
export function headText(request: BuiltRequest, authority: string): string {
  const { headers, body } = request;
  const { target } = splitUrl(request.url);
  if (!TARGET.test(target)) throw new TypeError('the URL has characters that must be percent-encoded');
  let head = `${request.method} ${target} HTTP/1.1\r\n`;
  if (!has(headers, 'host')) head += `Host: ${authority}\r\n`;
  for (const [name, value] of headers) {
    if (!TOKEN.test(name) || !VALUE.test(value)) {
      throw new TypeError(`the header ${JSON.stringify(name)} holds characters that HTTP does not allow`);
    }
    head += `${name}: ${value}\r\n`;
  }
  if (body !== null && !has(headers, 'content-length') && !has(headers, 'transfer-encoding')) {
    head += `Content-Length: ${body.length}\r\n`;
  }
  return `${head}\r\n`;
}

/** Head and body in one piece, so that they leave in one packet. */
export function wholeRequest(head: string, body: Uint8Array | null): Buffer {
  if (body === null) return Buffer.from(head, 'latin1');
  const bytes = Buffer.allocUnsafe(head.length + body.length);
  bytes.write(head, 'latin1');
  bytes.set(body, head.length);
  return bytes;
}

function pieces(body: Uint8Array, count: number): Uint8Array[] {
  const size = Math.max(1, Math.ceil(body.length / Math.max(1, count)));
  const all: Uint8Array[] = [];
  for (let start = 0; start < body.length; start += size) all.push(body.subarray(start, start + size));
  return all;
}

/** How a request leaves that doesn't simply leave. */
export function planDeparture(
  head: string,
  body: Uint8Array | null,
  manner: { readonly hold: boolean; readonly breakAt: BreakMoment | undefined; readonly trickle: Trickle | undefined },
): Departure {
  const { hold, breakAt, trickle } = manner;
  const gapMs = trickle?.gapMs ?? 0;
  if (breakAt?.at === 'head' || breakAt?.at === 'half-body') {
    const out = breakAt.at === 'head' ? null : (body?.subarray(0, body.length >> 1) ?? null);
    return { portions: [wholeRequest(head, out)], gapMs, last: null, partial: true, breakAfterMs: null };
  }
  const breakAfterMs = breakAt?.afterMs ?? null;
  const whole = wholeRequest(head, body);
  const sent = hold ? whole.subarray(0, -1) : whole;
  const last = hold ? whole.subarray(-1) : null;
  if (trickle === undefined || body === null) return { portions: [sent], gapMs, last, partial: false, breakAfterMs };
  const portions = [whole.subarray(0, head.length), ...pieces(sent.subarray(head.length), trickle.pieces)];
  return { portions, gapMs, last, partial: false, breakAfterMs };
}
