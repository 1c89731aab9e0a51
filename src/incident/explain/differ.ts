/** Where two payloads begin to differ. */
export interface Difference {
  /** Counted from 0; at the length of the shorter one when it is the beginning of the longer. */
  readonly at: number;
  /** What stands there in each, with a little before it; text as far as it is UTF-8. */
  readonly first: string;
  readonly second: string;
  /** The byte at that place as `0x0a`; null: it has ended. */
  readonly firstByte: string | null;
  readonly secondByte: string | null;
}

const BEFORE = 16;
const AFTER = 24;

/** The first byte at which two differ; null: they are the same. */
export function firstDifference(first: Uint8Array, second: Uint8Array): Difference | null {
  const shorter = Math.min(first.length, second.length);
  let at = 0;
  while (at < shorter && first[at] === second[at]) at += 1;
  if (at === first.length && at === second.length) return null;
  return {
    at,
    first: around(first, at),
    second: around(second, at),
    firstByte: byteAt(first, at),
    secondByte: byteAt(second, at),
  };
}

function byteAt(bytes: Uint8Array, at: number): string | null {
  const byte = bytes[at];
  return byte === undefined ? null : `0x${byte.toString(16).padStart(2, '0')}`;
}

function around(bytes: Uint8Array, at: number): string {
  let from = Math.max(at - BEFORE, 0);
  let to = Math.min(at + AFTER, bytes.length);
  // Characters of several bytes are not cut in two.
  while (from > 0 && isInner(bytes[from])) from -= 1;
  while (to < bytes.length && isInner(bytes[to])) to += 1;
  const text = Buffer.from(bytes.subarray(from, to)).toString('utf8');
  return `${from > 0 ? '…' : ''}${text}${to < bytes.length ? '…' : ''}`;
}

function isInner(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
