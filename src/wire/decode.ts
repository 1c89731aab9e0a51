import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { WireFailure } from './failure.ts';

/** More layers than this are an attack, not a reply. */
const MOST_LAYERS = 3;

/** RFC 9110 §8.4.1 calls deflate a zlib stream; many send a raw one. The first byte of a zlib stream tells: method 8. */
function inflate(bytes: Buffer, options: { maxOutputLength: number }): Buffer {
  return ((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
}

function undo(coding: string, bytes: Buffer, most: number): Buffer {
  const options = { maxOutputLength: most };
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
        `The reply's Content-Encoding is ${JSON.stringify(coding.slice(0, 40))}, which nobody asked for.`,
      );
  }
}

/**
 * Undoes what a Content-Encoding header (RFC 9110 §8.4) says was done to a body. An empty body stays empty.
 *
 * @param most how many bytes any layer may become
 * @throws WireFailure `bad-encoding` for a coding that is unknown or can't be undone, `too-large` past `most`
 */
export function decodeBody(bytes: Buffer, contentEncoding: string, most: number): Buffer {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MOST_LAYERS) {
    throw new WireFailure('bad-encoding', `The reply's Content-Encoding has ${codings.length} layers.`);
  }
  let decoded = bytes;
  for (const coding of codings.reverse()) {
    if (decoded.length === 0) break;
    try {
      decoded = undo(coding, decoded, most);
    } catch (error) {
      if (error instanceof WireFailure) throw error;
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (code === 'ERR_BUFFER_TOO_LARGE') {
        throw new WireFailure('too-large', `The decompressed reply passed the cap of ${most} bytes.`, { cause: error });
      }
      const said = error instanceof Error ? error.message : String(error);
      throw new WireFailure('bad-encoding', `The reply's body is not the ${coding} that its header says: ${said}.`, {
        cause: error,
      });
    }
  }
  return decoded;
}
