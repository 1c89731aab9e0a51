import { isUtf8 } from 'node:buffer';
import type { Body } from '../journal/exchange.ts';

/** Bytes as a journal holds them: text when they are valid UTF-8 (a byte order mark is kept), else base64. */
export function bodyOf(bytes: Uint8Array): Body {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const encoding = isUtf8(buffer) ? 'utf8' : 'base64';
  return { encoding, data: buffer.toString(encoding), length: buffer.length, truncated: false };
}
