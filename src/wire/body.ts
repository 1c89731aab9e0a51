import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { Body } from '../journal/exchange.ts';
import { WireFailure } from './failure.ts';

/**
 * Converts a body to its form in a journal: text if the bytes are valid UTF-8 (with its byte order mark, if any), otherwise
 * base64.
 */
export function bodyOf(bytes: Uint8Array): Body {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const encoding = isUtf8(buffer) ? 'utf8' : 'base64';
  return { encoding, data: buffer.toString(encoding), length: buffer.length, truncated: false };
}

/** Maximum number of codings on one body. A reply with more codings is treated as an attack. */
const MAX_LAYERS = 3;

/**
 * Decompresses a deflate body. By RFC 9110 §8.4.1 it is a zlib stream, but many servers send a raw deflate stream. A zlib
 * stream begins with compression method 8.
 */
function inflate(bytes: Buffer, options: { maxOutputLength: number }): Buffer {
  return ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
}

function undo(coding: string, bytes: Buffer, max: number): Buffer {
  const options = { maxOutputLength: max };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, options);
    case 'deflate':
      return inflate(bytes, options);
    case 'br':
      return brotliDecompressSync(bytes, options);
    case 'zstd':
      return zstdDecompressSync(bytes, options);
    default:
      throw new WireFailure(
        'bad-encoding',
        `The reply's Content-Encoding is ${JSON.stringify(coding.slice(0, 40))}, which the request did not ask for.`,
      );
  }
}

/**
 * Decodes a body by its Content-Encoding header (RFC 9110 §8.4). An empty body stays empty.
 *
 * @param max maximum number of bytes after each decoding step
 * @throws WireFailure `bad-encoding` for an unknown coding or invalid data, `too-large` above `max`
 */
export function decodeBody(bytes: Buffer, contentEncoding: string, max: number): Buffer {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_LAYERS) {
    throw new WireFailure('bad-encoding', `The reply's Content-Encoding has ${codings.length} layers.`);
  }
  let decoded = bytes;
  for (const coding of codings.reverse()) {
    if (decoded.length === 0) break;
    try {
      decoded = undo(coding, decoded, max);
    } catch (error) {
      if (error instanceof WireFailure) throw error;
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (code === 'ERR_BUFFER_TOO_LARGE') {
        throw new WireFailure('too-large', `The decompressed reply is larger than the maximum of ${max} bytes.`, {
          cause: error,
        });
      }
      const reason = error instanceof Error ? error.message : String(error);
      throw new WireFailure(
        'bad-encoding',
        `The reply's body is not encoded with ${coding}, although its header says so: ${reason}.`,
        {
          cause: error,
        },
      );
    }
  }
  return decoded;
}
