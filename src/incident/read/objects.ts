/** A bigger object is no exchange that anybody would want to read: it is skipped. */
const BIGGEST = 64 * 1024 * 1024;

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, NEWLINE] = [
  0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x0a,
] as const;

/** One object of a document. `text` is null when it was too big, or when the document ends within it. */
export interface FoundObject {
  readonly line: number;
  readonly text: string | null;
  readonly why: 'whole' | 'too big' | 'cut off';
}

/**
 * The objects of a JSON document as they stream by. A document that was cut off gives what stands before the cut.
 *
 * @param list the name of the list that they are in (`entries` of a HAR); the list that the document itself is counts
 *   too. null: the document itself, or several one after another
 */
export async function* objectsOf(
  chunks: AsyncIterable<Uint8Array>,
  list: string | null,
  biggest = BIGGEST,
): AsyncGenerator<FoundObject> {
  const scan = new Scan(list, biggest);
  for await (const chunk of chunks) yield* scan.push(chunk);
  yield* scan.end();
}

/** Walks over the bytes of JSON, knowing only strings and nesting. */
class Scan {
  readonly #biggest: number;
  readonly #list: string | null;
  /** The kinds of what is open, outermost first. */
  readonly #open: number[] = [];
  #line = 1;
  #inString = false;
  #escaped = false;
  /** The text of the last string, as far as a name of ours may reach. */
  #word = '';
  /** How deep the list lies whose objects are wanted; null: not found yet. */
  #listDepth: number | null;
  /** The object that is being taken: how deep, from which line, and its bytes. */
  #taken: { readonly depth: number; readonly line: number; pieces: Uint8Array[]; length: number } | null = null;
  #found = false;

  constructor(list: string | null, biggest: number) {
    this.#biggest = biggest;
    this.#list = list;
    this.#listDepth = list === null ? 0 : null;
  }

  *push(chunk: Uint8Array): Generator<FoundObject> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === NEWLINE) this.#line += 1;
      if (this.#inString) {
        this.#within(byte);
        continue;
      }
      switch (byte) {
        case QUOTE:
          this.#inString = true;
          this.#word = '';
          break;
        case OPEN_BRACE:
          this.#open.push(byte);
          if (this.#isEntry()) {
            this.#taken = { depth: this.#open.length, line: this.#line, pieces: [], length: 0 };
            from = at;
          }
          break;
        case OPEN_BRACKET:
          this.#open.push(byte);
          if (this.#listDepth === null && (this.#open.length === 1 || this.#word === this.#list)) {
            this.#listDepth = this.#open.length;
          }
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          if (this.#taken?.depth === this.#open.length) {
            this.#keep(chunk.subarray(from, at + 1));
            yield this.#done();
          }
          if (this.#listDepth === this.#open.length) this.#listDepth = Number.POSITIVE_INFINITY;
          this.#open.pop();
          break;
      }
    }
    if (this.#taken) this.#keep(Buffer.from(chunk.subarray(from)));
  }

  *end(): Generator<FoundObject> {
    if (this.#taken) yield { line: this.#taken.line, text: null, why: 'cut off' };
    else if (!this.#found && this.#open.length > 0) yield { line: this.#line, text: null, why: 'cut off' };
  }

  #within(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
    else if (this.#word.length < 16) this.#word += String.fromCharCode(byte);
  }

  #isEntry(): boolean {
    return this.#taken === null && this.#listDepth === this.#open.length - 1;
  }

  #keep(piece: Uint8Array): void {
    if (!this.#taken) return;
    this.#taken.length += piece.length;
    if (this.#taken.length <= this.#biggest) this.#taken.pieces.push(piece);
    else this.#taken.pieces = [];
  }

  #done(): FoundObject {
    const { line, pieces, length } = this.#taken ?? { line: this.#line, pieces: [], length: 0 };
    this.#taken = null;
    this.#found = true;
    return length > this.#biggest
      ? { line, text: null, why: 'too big' }
      : { line, text: Buffer.concat(pieces).toString('utf8'), why: 'whole' };
  }
}
