import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/**
 * Maximum size of one part of the compressed evidence, in bytes. It is larger than a piece of the stream. The database stores the
 * evidence in parts.
 */
const PART = 1024 * 1024;

/**
 * The compressor looks for repeated text in the last 256 KB. Equal texts of a journal are close together, so with these settings a
 * journal becomes smaller than with the default settings, in less time and with less memory.
 */
const SETTINGS = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_windowLog]: 18 } };

/**
 * Compresses bytes with zstd. All parts in their order are one zstd stream. All parts are in the same memory, so a part is valid only
 * until the next part is asked for.
 *
 * @param content pieces of bytes; the next piece may use the memory of the piece before it
 * @throws the error of `content`
 */
export async function* compressedParts(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const part = Buffer.allocUnsafeSlow(PART);
  let filled = 0;
  const stream = createZstdCompress(SETTINGS);
  // A pipeline would ask for further pieces before it has compressed a piece.
  const writing = writeAll(content, stream).catch((error: unknown) =>
    stream.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  for await (const piece of stream as AsyncIterable<Buffer>) {
    if (filled + piece.length > PART) {
      yield part.subarray(0, filled);
      filled = 0;
    }
    filled += piece.copy(part, filled);
  }
  await writing;
  yield part.subarray(0, filled);
}

/** Writes pieces to a stream. Asks for the next piece only when the stream no longer needs the memory of the piece before it. */
async function writeAll(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  stream: NodeJS.WritableStream,
): Promise<void> {
  for await (const piece of content)
    await new Promise<void>((resolve, reject) => {
      stream.write(piece, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  stream.end();
}

/**
 * Decompresses the parts of a zstd stream as text.
 *
 * @throws Error if the parts are damaged
 */
export function decompressed(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<string> {
  const stream = createZstdDecompress();
  // The error is ignored here: the reader of the stream gets the same error.
  pipeline(parts, stream).catch(() => {});
  return stream.setEncoding('utf8');
}

/** Compresses a short text with zstd. */
export function compressedText(text: string): Uint8Array {
  return zstdCompressSync(text);
}

/** Returns the text that `compressedText` has compressed. @throws Error if the bytes are damaged */
export function decompressedText(bytes: Uint8Array): string {
  return new TextDecoder().decode(zstdDecompressSync(bytes));
}
