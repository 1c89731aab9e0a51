import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

type Chunks = AsyncIterable<Uint8Array>;

/** A file as bytes of UTF-8, and its beginning, by which its kind is told. */
export interface PlainBytes {
  readonly head: string;
  readonly all: Chunks;
  /** Why the file could not be unpacked to its end; null: it could, as far as it was read. */
  readonly broken: () => string | null;
}

/** How much of a file is looked at to tell what it is. */
const HEAD_BYTES = 64 * 1024;

/** Unpacks what was compressed, as rotated logs are, and brings to UTF-8 what Windows wrote as UTF-16. */
export async function plainBytes(chunks: Chunks): Promise<PlainBytes> {
  const raw = await peek(chunks);
  let broken: string | null = null;
  async function* unpacked(): Chunks {
    const gunzip = createGunzip();
    try {
      yield* Readable.from(raw.all).pipe(gunzip);
    } catch {
      // What came before is good: it was checked piece by piece.
      broken = 'the compressed file is cut off or damaged from here on';
    }
  }
  const isPacked = raw.first[0] === 0x1f && raw.first[1] === 0x8b;
  const plain = isPacked ? await peek(unpacked()) : raw;
  const { first } = plain;
  const isWide = (first[0] === 0xff && first[1] === 0xfe) || (first[0] === 0xfe && first[1] === 0xff);
  const { first: bytes, all } = isWide ? await peek(narrowed(plain.all, first[0] === 0xff)) : plain;
  return { head: bytes.toString('utf8').replace(/^\uFEFF/, ''), all, broken: () => broken };
}

async function* narrowed(chunks: Chunks, isLittleEndian: boolean): Chunks {
  const decoder = new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be');
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
}

async function peek(chunks: Chunks): Promise<{ readonly first: Buffer; readonly all: Chunks }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  let isDone = false;
  while (length < HEAD_BYTES && !isDone) {
    const next = await iterator.next();
    if (next.done) isDone = true;
    else {
      first.push(next.value);
      length += next.value.length;
    }
  }
  async function* all(): Chunks {
    yield* first;
    if (!isDone) yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { first: Buffer.concat(first), all: all() };
}
