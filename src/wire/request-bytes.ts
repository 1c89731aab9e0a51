import type { BreakMoment, Trickle } from '../contract/deviation.ts';
import { splitUrl } from './origin.ts';
import type { BuiltRequest } from './request.ts';

/** The bytes of a request in portions, which are sent one after the other. */
export interface RequestPortions {
  readonly portions: readonly Uint8Array[];
  /** Milliseconds between two portions. */
  readonly gapMs: number;
  /** The last byte of a held call, which is sent when the call is released. null for other calls. */
  readonly last: Uint8Array | null;
  /** True if the portions are only a part of the request. After these portions, the connection is closed. */
  readonly partial: boolean;
  /**
   * Milliseconds from the end of the request until the connection is closed on purpose. null if it is not closed on
   * purpose.
   */
  readonly breakAfterMs: number | null;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const TARGET = /^[\x21-\x7e]+$/;

/**
 * Returns the head of a request. The headers keep their order and letter case. Host is added before the headers and
 * Content-Length after them if they are missing.
 *
 * @throws TypeError for a header or target that HTTP does not allow
 */
export function headText({ method, url, headers, body }: BuiltRequest, authority: string): string {
  const { target } = splitUrl(url);
  if (!TARGET.test(target)) throw new TypeError('the URL has characters that must be percent-encoded');
  let lines = '';
  let hasHost = false;
  let hasFraming = body === null;
  for (const [name, value] of headers) {
    if (!TOKEN.test(name) || !VALUE.test(value)) {
      throw new TypeError(`the header ${JSON.stringify(name)} contains characters that HTTP does not allow`);
    }
    lines += `${name}: ${value}\r\n`;
    hasHost ||= isNamed(name, 'host');
    hasFraming ||= isNamed(name, 'content-length') || isNamed(name, 'transfer-encoding');
  }
  const host = hasHost ? '' : `Host: ${authority}\r\n`;
  const length = hasFraming ? '' : `Content-Length: ${body?.length}\r\n`;
  return `${method} ${target} HTTP/1.1\r\n${host}${lines}${length}\r\n`;
}

/** @param wanted the name of a header in lower case */
function isNamed(name: string, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted;
}

/** Joins head and body in one buffer, so that they are sent in one packet. */
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

/**
 * Divides a request into the portions in which it is sent. Most requests have one portion with all bytes. There are three
 * exceptions: a request whose last byte is held back, a request that is sent in pieces, and a request whose connection is broken on
 * purpose.
 */
export function planPortions(
  head: string,
  body: Uint8Array | null,
  manner: { readonly hold: boolean; readonly breakAt: BreakMoment | undefined; readonly trickle: Trickle | undefined },
): RequestPortions {
  const { hold, breakAt, trickle } = manner;
  const gapMs = trickle?.gapMs ?? 0;
  if (breakAt !== undefined && breakAt.at !== 'sent') {
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
