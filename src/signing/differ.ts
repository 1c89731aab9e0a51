/** The first difference between two payloads. */
export interface Difference {
  /**
   * The offset of the first different byte, from 0. If one payload is the beginning of the other, this is the length of
   * the shorter one.
   */
  readonly at: number;
  /** The text of the first payload around the offset, read as UTF-8. `second` is the same for the second payload. */
  readonly first: string;
  readonly second: string;
  /** The byte of the first payload at the offset, such as `0x0a`. Null if the payload ends before the offset. */
  readonly firstByte: string | null;
  readonly secondByte: string | null;
}

const BEFORE = 16;
const AFTER = 24;

/** Finds the first byte at which two payloads differ. Returns null if they are equal. */
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
  // A character of several bytes must not be cut in the middle.
  while (from > 0 && isContinuation(bytes[from])) from -= 1;
  while (to < bytes.length && isContinuation(bytes[to])) to += 1;
  const text = Buffer.from(bytes.subarray(from, to)).toString('utf8');
  return `${from > 0 ? '…' : ''}${text}${to < bytes.length ? '…' : ''}`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
