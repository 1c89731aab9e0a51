import type { Line } from './file-bytes.ts';

/**
 * Finds the lines that contain one of some texts. Searches the bytes of many lines at once, so a line need not be decoded. Most lines
 * of a large log contain none of the texts.
 */
export class LineSearch {
  readonly #texts: readonly Buffer[];
  /** For each text, the position in the bytes where it occurs next. */
  readonly #next: number[];
  #bytes: Buffer | null = null;

  /** @param texts texts that have only ASCII characters and no line end */
  constructor(texts: readonly string[]) {
    this.#texts = texts.map((text) => Buffer.from(text));
    this.#next = texts.map(() => NOWHERE);
  }

  /** True if a line contains one of the texts. The lines of a file must be asked for in their order. */
  isIn(line: Line): boolean {
    return this.positionIn(line) >= 0;
  }

  /** Returns the position of one of the texts in the bytes of a line; -1 if the line has none of them. */
  positionIn({ bytes, from, to }: Line): number {
    if (bytes === null) return NOWHERE;
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#next.fill(NOWHERE);
    }
    for (const [index, text] of this.#texts.entries()) {
      const at = this.#at(index, text, bytes, from);
      if (at < to) return at;
    }
    return NOWHERE;
  }

  #at(index: number, text: Buffer, bytes: Buffer, from: number): number {
    const known = this.#next[index] ?? NOWHERE;
    if (known >= from) return known;
    const found = bytes.indexOf(text, from);
    const at = found < 0 ? Number.POSITIVE_INFINITY : found;
    this.#next[index] = at;
    return at;
  }
}

const NOWHERE = -1;

/**
 * Says whether the lines of a file show their first session in full. Does the same as a regular expression, but needs no text of a
 * line.
 */
export class SessionSearch {
  readonly #names = new LineSearch([NAME]);

  /** Returns `none` for a line without a session, `plain` for one that is neither masked nor cut, and `unsure` for all other lines. */
  in(line: Line): 'none' | 'plain' | 'unsure' {
    const { bytes, to } = line;
    if (bytes === null) return 'unsure';
    const found = this.#names.positionIn(line);
    if (found < 0) return 'none';
    const sign = afterSpaces(bytes, afterMarks(bytes, found + NAME.length, to), to);
    if (bytes[sign] !== COLON && bytes[sign] !== EQUALS) return 'unsure';
    const mark = afterSpaces(bytes, sign + 1, to);
    const begin = afterMarks(bytes, mark, to);
    let end = begin;
    while (end < to && IS_OF_ID[bytes[end] ?? 0] === 1) end += 1;
    const [first, next] = [bytes[begin] ?? 0, end < to ? (bytes[end] ?? 0) : 0];
    if (end === begin || first < ZERO || first > NINE || next === POINT || next >= FIRST_OF_OTHERS) return 'unsure';
    // After an id that is cut, the marks before it are missing.
    for (let index = 0; index < begin - mark; index += 1)
      if (end + index >= to || bytes[end + index] !== bytes[mark + index]) return 'unsure';
    return 'plain';
  }
}

/** Returns the position after at most two spaces. */
function afterSpaces(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < Math.min(to, from + MAX_SPACES) && bytes[at] === SPACE) at += 1;
  return at;
}

/** Returns the position after at most six backslashes and quotation marks. */
function afterMarks(bytes: Buffer, from: number, to: number): number {
  const most = Math.min(to, from + MAX_MARKS);
  let at = from;
  while (at < most && (bytes[at] === BACKSLASH || bytes[at] === QUOTE || bytes[at] === APOSTROPHE)) at += 1;
  return at;
}

const NAME = 'sessionID';
const [MAX_MARKS, MAX_SPACES] = [6, 2];
const [COLON, EQUALS, BACKSLASH, QUOTE, APOSTROPHE, SPACE] = [0x3a, 0x3d, 0x5c, 0x22, 0x27, 0x20];
const [ZERO, NINE, POINT] = [0x30, 0x39, 0x2e];
/** The first byte that is no ASCII character. The mark of a text that was cut begins with such a byte. */
const FIRST_OF_OTHERS = 0x80;
/** For each byte: 1 if its character may be in an id that is not masked. */
const IS_OF_ID = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte < FIRST_OF_OTHERS && /[\w:-]/.test(String.fromCharCode(byte))),
);
