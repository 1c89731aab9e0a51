import { type HeaderList, header } from '../../journal/exchange.ts';

const CHUNK_SIZE = /^([0-9a-f]{1,8})\s*(?:;.*)?\r?$/i;
const [CARRIAGE_RETURN, LINE_FEED] = [0x0d, 0x0a] as const;

/**
 * Whether a body was copied in chunks. Browsers and curl show one in one piece, whatever its headers say: what counts is that its
 * first line is the size of a chunk.
 */
export function isInChunks(headers: HeaderList, firstLine: string): boolean {
  return CHUNK_SIZE.test(firstLine) && /\bchunked\b/i.test(header(headers, 'transfer-encoding') ?? '');
}

/**
 * A body whose pieces stand in it one after another, each behind its size (RFC 9112 §7.1); undefined when the sizes are not theirs.
 * Lines may end with a line feed alone, as editors leave them.
 */
export function joinChunks(bytes: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(LINE_FEED, at);
    const [, size] = CHUNK_SIZE.exec(bytes.toString('latin1', at, end < 0 ? bytes.length : end)) ?? [];
    if (size === undefined) return undefined;
    const length = Number.parseInt(size, 16);
    if (length === 0 || end < 0) break;
    pieces.push(bytes.subarray(end + 1, end + 1 + length));
    at = end + 1 + length;
    if (bytes[at] === CARRIAGE_RETURN) at += 1;
    if (bytes[at] === LINE_FEED) at += 1;
  }
  return Buffer.concat(pieces);
}
