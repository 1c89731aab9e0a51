import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { withWholeLines } from './framed-lines.ts';
import { withRecordLines } from './record-lines.ts';

/** The bytes of a file in parts. A part need not be valid any more when the next part is read. */
type Chunks = AsyncIterable<Uint8Array>;

/**
 * The content of a file in UTF-8 (`all`), and the text of its first bytes (`head`), from which the format is detected.
 */
export interface PlainBytes {
  readonly head: string;
  readonly all: Chunks;
  /**
   * The first bytes of the file: unchanged (`raw`), and after the file was decompressed and converted (`plain`). They show whether
   * the file is text.
   */
  readonly first: { readonly raw: Buffer; readonly plain: Buffer };
  /**
   * Returns why the file could not be decompressed to its end. Returns null if there was no error in the part that was
   * read.
   */
  readonly broken: () => string | null;
}

/** The number of bytes at the beginning of a file that are enough to detect its format. */
const HEAD_BYTES = 64 * 1024;

/**
 * Returns the content of a file as UTF-8. Decompresses gzip (for rotated logs) and zip, and converts UTF-16 (for files from
 * Windows). The files of a zip are read one after another.
 */
export async function plainBytes(chunks: Chunks): Promise<PlainBytes> {
  const raw = await peek(chunks);
  let broken: string | null = null;
  async function* gunzipped(): Chunks {
    const gunzip = createGunzip();
    try {
      yield* Readable.from(copied(raw.all)).pipe(gunzip);
    } catch {
      // The bytes before the error are valid and were already passed on. So the file counts as read up to this error.
      broken = 'the compressed file is cut off or damaged from here on';
    }
  }
  async function* unzipped(): Chunks {
    try {
      yield* filesOfZip(copied(raw.all));
    } catch {
      broken = 'the zip file is cut off or damaged from here on';
    }
  }
  const isGzip = raw.first[0] === 0x1f && raw.first[1] === 0x8b;
  const isZip = raw.first.subarray(0, 4).equals(ZIP);
  const plain = isGzip ? await peek(gunzipped()) : isZip ? await peek(unzipped()) : raw;
  const { first } = plain;
  const isUtf16 = (first[0] === 0xff && first[1] === 0xfe) || (first[0] === 0xfe && first[1] === 0xff);
  const { first: bytes, all } = isUtf16 ? await peek(fromUtf16(plain.all, first[0] === 0xff)) : plain;
  const head = bytes.toString('utf8').replace(/^\uFEFF/, '');
  return {
    head,
    all: withRecordLines(head, withWholeLines(head, all)),
    first: { raw: raw.first, plain: bytes },
    broken: () => broken,
  };
}

/** Copies each part, for a reader that still needs it when the next part is read. */
async function* copied(chunks: Chunks): Chunks {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

/** The first bytes of a zip file. The head of the first file in the zip begins with them (APPNOTE.TXT of PKWARE, 4.3.7). */
const ZIP = Buffer.from([0x50, 0x4b, 0x03, 0x04]);

/** Decompresses the files of a zip, one after another. Each file begins on a new line. */
async function* filesOfZip(chunks: Chunks): Chunks {
  const { Unzip, UnzipInflate } = await import('fflate');
  let found: Uint8Array[] = [];
  let open = 0;
  const unzip = new Unzip((file) => {
    open += 1;
    file.ondata = (error, data, isLast) => {
      if (error) throw error;
      found.push(data);
      if (!isLast) return;
      open -= 1;
      found.push(Buffer.from('\n'));
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  for await (const chunk of chunks) {
    unzip.push(chunk);
    yield* found;
    found = [];
  }
  unzip.push(new Uint8Array(0), true);
  yield* found;
  if (open > 0) throw new Error('the zip file ends within a file');
}

async function* fromUtf16(chunks: Chunks, isLittleEndian: boolean): Chunks {
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
      first.push(Buffer.from(next.value));
      length += next.value.length;
    }
  }
  async function* all(): Chunks {
    yield* first;
    if (!isDone) yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { first: Buffer.concat(first), all: all() };
}

/** Maximum length of a line in bytes. A longer line is skipped, to limit memory. */
const MAX_LINE = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** One line of a file without its line end. It is valid only until the next lines are read. */
export class Line {
  readonly number: number;
  /** The bytes with the line. Null if the line was too long. */
  readonly bytes: Buffer | null;
  readonly from: number;
  readonly to: number;
  /** False if the file ends without a line end. The line may then be incomplete. */
  readonly ended: boolean;
  #text: string | null = null;

  constructor(number: number, bytes: Buffer | null, { from, to, ended }: { from: number; to: number; ended: boolean }) {
    this.number = number;
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    this.ended = ended;
  }

  /** The text of the line. Null if the line was too long. It is decoded only when it is asked for, because most lines need no text. */
  get text(): string | null {
    if (this.bytes === null) return null;
    if (this.#text === null) {
      const text = this.bytes.toString('utf8', this.from, this.to);
      this.#text = this.number > 1 ? text : text.replace(/^\uFEFF/, '');
    }
    return this.#text;
  }
}

/**
 * Splits a stream of bytes into lines. For each chunk, yields one list: the lines that end in this chunk.
 *
 * @param isNeeded gets the number of a line. If it returns false, this line is left out
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxLength = MAX_LINE,
  isNeeded?: (line: number) => boolean,
): AsyncGenerator<readonly Line[]> {
  const splitter = new LineSplitter(maxLength, isNeeded);
  for await (const chunk of chunks) {
    const lines = splitter.split(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    if (lines.length > 0) yield lines;
  }
  const last = splitter.end();
  if (last) yield [last];
}

/** Splits parts of a file into lines, and keeps the beginning of a line until the rest of this line comes. */
class LineSplitter {
  readonly #maxLength: number;
  readonly #isNeeded: ((line: number) => boolean) | undefined;
  #number = 0;
  /** The pieces of the incomplete line. Empty if the line is too long. */
  #kept: Uint8Array[] = [];
  /** The number of bytes of the incomplete line. */
  #length = 0;

  constructor(maxLength: number, isNeeded: ((line: number) => boolean) | undefined) {
    this.#maxLength = maxLength;
    this.#isNeeded = isNeeded;
  }

  /** Returns the lines that end in this part. */
  split(bytes: Buffer): readonly Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
      this.#number += 1;
      if (this.#isNeeded?.(this.#number) === false) this.#forget();
      else if (this.#length > 0 || at - from > this.#maxLength) {
        this.#keep(bytes.subarray(from, at));
        lines.push(this.#joined(true));
      } else lines.push(new Line(this.#number, bytes, { from, to: at, ended: true }));
      from = at + 1;
    }
    if (from < bytes.length) this.#keep(Buffer.from(bytes.subarray(from)));
    return lines;
  }

  /** Returns the last line if the file ends without a line end. */
  end(): Line | undefined {
    if (this.#length === 0) return undefined;
    this.#number += 1;
    return this.#isNeeded?.(this.#number) === false ? undefined : this.#joined(false);
  }

  #keep(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length <= this.#maxLength) this.#kept.push(piece);
    else this.#kept = [];
  }

  #forget(): void {
    if (this.#length === 0) return;
    this.#kept = [];
    this.#length = 0;
  }

  #joined(ended: boolean): Line {
    const whole = this.#length > this.#maxLength ? null : Buffer.concat(this.#kept);
    this.#forget();
    return new Line(this.#number, whole, { from: 0, to: whole?.length ?? 0, ended });
  }
}
