import type { Cell, Entry, MapCell, ScalarCell } from './cell.ts';
import { firstLine, type Source, type Spot } from './source.ts';

/**
 * Reads the plain kind of YAML that nearly all scenarios are written in, many times quicker than a whole YAML parser: block
 * maps and lists, braces and brackets within one line, plain and simply quoted texts, comments.
 *
 * It only ever gives what the whole parser would give. Whatever it does not know for certain, every mistake included, it
 * leaves to that one; a test compares the two over all scenarios and over texts with damage.
 *
 * @returns undefined: not that plain, or not right
 */
export function readPlainYaml(source: Source): Cell | undefined {
  if (UNUSUAL.test(source.text) || hasLongLine(source.text)) return undefined;
  try {
    return new PlainReader(source).document();
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

/** Tabs and other control characters, line ends that are not `\n`, byte order marks, directives, documents. */
const UNUSUAL = /[\0-\x09\x0b-\x1f\x7f-\xa0\u2028\u2029\ufeff-\uffff]|^(?:---|\.\.\.|%)/m;
const LONGEST_LINE = 900;

/** Looked for by hand: an expression would count the characters after each character. */
function hasLongLine(text: string): boolean {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    if (end - start >= LONGEST_LINE) return true;
    start = end + 1;
  }
  return false;
}
const KEY = /[A-Za-z_][\w.-]*(?=:(?: |$))/my;
const LINE = /( *)(?:#.*|(\S.*))?(?:\n|$)/y;
const PLAIN_IN_BLOCK = /[\w$(/](?:[^\s:#]|:(?=[^\s])|(?<=\S)#| +(?=[^\s#]))*/y;
const PLAIN_IN_FLOW = /[\w$(/](?:[^\s:#,[\]{}]| +(?=[^\s#,[\]{}]))*/y;
/** Of the escapes, those that JSON has too. */
const QUOTED = /"(?:[^"\\\n]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|'[^'\n]*'(?!')/y;
const SPACES = / */y;
const REST = / *(?: #.*)?(?:\n|$)/y;
const SIMPLE_NUMBER = /^(?:0|[1-9]\d{0,8})$/;
const DURATION = /^\d+(?:m?s|xx)$/;
const SPECIAL_WORD = /^(?:null|true|false)$/i;
const DEEPEST = 20;

class NotPlain extends Error {}

/** One line that holds more than a comment. */
interface Line {
  readonly indent: number;
  /** Offset of its first character that is no space. */
  readonly start: number;
}

class PlainReader {
  readonly #source: Source;
  readonly #text: string;
  readonly #lines: readonly Line[];
  #next = 0;

  constructor(source: Source) {
    this.#source = source;
    this.#text = source.text;
    this.#lines = linesOf(source.text);
  }

  document(): Cell {
    const root = this.#block(0, 0);
    if (this.#next < this.#lines.length) throw new NotPlain();
    return root;
  }

  /** The map or list whose first line is the next one. */
  #block(indent: number, depth: number): Cell {
    const line = this.#lines[this.#next];
    if (line?.indent !== indent || depth > DEEPEST) throw new NotPlain();
    return this.#isItem(line.start) ? this.#list(line.start, indent, depth) : this.#map(line.start, indent, depth);
  }

  #isItem(at: number): boolean {
    return this.#text.startsWith('- ', at);
  }

  #list(start: number, indent: number, depth: number): Cell {
    const items: Cell[] = [];
    for (let line = this.#lines[this.#next]; line?.indent === indent; line = this.#lines[this.#next]) {
      if (!this.#isItem(line.start)) throw new NotPlain();
      const at = this.#after(SPACES, line.start + 1);
      const isMap = this.#match(KEY, at) !== undefined;
      items.push(isMap ? this.#map(at, indent + at - line.start, depth + 1) : this.#lineValue(at, indent));
    }
    this.#endsAt(indent);
    return { kind: 'list', spot: firstLine(this.#source, start), items };
  }

  /** @param start where its first key stands, which may be behind the dash of a list */
  #map(start: number, indent: number, depth: number): MapCell {
    const entries: Entry[] = [];
    for (let at: number | undefined = start; at !== undefined; ) {
      const key = this.#key(at, entries);
      entries.push({ ...key, value: this.#valueOf(key.keySpot, indent, depth) });
      const line: Line | undefined = this.#lines[this.#next];
      at = line?.indent === indent ? line.start : undefined;
    }
    this.#endsAt(indent);
    return { kind: 'map', spot: firstLine(this.#source, start), entries };
  }

  /** What follows must belong to something around: a deeper line here is a mistake, or goes on with a text. */
  #endsAt(indent: number): void {
    if ((this.#lines[this.#next]?.indent ?? 0) > indent) throw new NotPlain();
  }

  #key(at: number, entries: readonly Entry[]): Omit<Entry, 'value'> {
    const key = this.#match(KEY, at);
    if (key === undefined || entries.some((entry) => entry.key === key)) throw new NotPlain();
    return { key, keySpot: this.#spot(at, at + key.length) };
  }

  #valueOf(keySpot: Spot, indent: number, depth: number): Cell {
    const at = this.#after(SPACES, keySpot.end + 1);
    if (this.#match(REST, keySpot.end + 1) === undefined) return this.#lineValue(at, indent);
    this.#next += 1;
    const below = this.#lines[this.#next];
    if (below && below.indent > indent) return this.#block(below.indent, depth + 1);
    // A list may stand as far left as its key.
    if (below?.indent === indent && this.#isItem(below.start)) throw new NotPlain();
    return { kind: 'scalar', value: null, written: '', spot: keySpot };
  }

  /** A value that stands whole in the present line, whose indentation is given. */
  #lineValue(at: number, indent: number): Cell {
    const cell = this.#flow(at, false, 0);
    if (this.#match(REST, cell.spot.end) === undefined) throw new NotPlain();
    this.#next += 1;
    this.#endsAt(indent);
    return cell;
  }

  #flow(at: number, inside: boolean, depth: number): Cell {
    if (depth > DEEPEST) throw new NotPlain();
    const first = this.#text[at];
    if (first === '{') return this.#braces(at, depth);
    if (first === '[') return this.#brackets(at, depth);
    if (first === '"' || first === "'") {
      const quoted = this.#match(QUOTED, at);
      if (quoted === undefined) throw new NotPlain();
      if (first === "'" || !quoted.includes('\\')) return this.#scalar(quoted.slice(1, -1), at, 1);
      const value = JSON.parse(quoted) as string;
      return { kind: 'scalar', value, written: value, spot: this.#spot(at, at + quoted.length) };
    }
    const plain = this.#match(inside ? PLAIN_IN_FLOW : PLAIN_IN_BLOCK, at);
    if (plain === undefined || SPECIAL_WORD.test(plain)) return this.#special(plain, at);
    if (!/^\d/.test(plain) || DURATION.test(plain)) return this.#scalar(plain, at, 0);
    if (!SIMPLE_NUMBER.test(plain)) throw new NotPlain();
    return { kind: 'scalar', value: Number(plain), written: plain, spot: this.#spot(at, at + plain.length) };
  }

  #special(word: string | undefined, at: number): ScalarCell {
    if (word !== 'true' && word !== 'false') throw new NotPlain();
    return { kind: 'scalar', value: word === 'true', written: word, spot: this.#spot(at, at + word.length) };
  }

  #scalar(value: string, at: number, quotes: 0 | 1): ScalarCell {
    const spot = this.#spot(at, at + value.length + 2 * quotes);
    return { kind: 'scalar', value, written: value, spot, textStart: at + quotes };
  }

  #braces(start: number, depth: number): MapCell {
    const entries: Entry[] = [];
    let at = start;
    do {
      const key = this.#key(this.#after(SPACES, at + 1), entries);
      const value = this.#flow(this.#after(SPACES, key.keySpot.end + 1), true, depth + 1);
      entries.push({ ...key, value });
      at = this.#after(SPACES, value.spot.end);
    } while (this.#text[at] === ',');
    if (this.#text[at] !== '}') throw new NotPlain();
    return { kind: 'map', spot: this.#spot(start, at + 1), entries };
  }

  #brackets(start: number, depth: number): Cell {
    const items: Cell[] = [];
    let at = start;
    do {
      const item = this.#flow(this.#after(SPACES, at + 1), true, depth + 1);
      items.push(item);
      at = this.#after(SPACES, item.spot.end);
    } while (this.#text[at] === ',');
    if (this.#text[at] !== ']') throw new NotPlain();
    return { kind: 'list', spot: this.#spot(start, at + 1), items };
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0];
  }

  #after(pattern: RegExp, at: number): number {
    return at + (this.#match(pattern, at)?.length ?? 0);
  }

  #spot(start: number, end: number): Spot {
    return { source: this.#source, start, end };
  }
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < text.length; ) {
    LINE.lastIndex = at;
    const match = LINE.exec(text);
    if (!match) throw new NotPlain();
    const indent = match[1]?.length ?? 0;
    if (match[2] !== undefined) lines.push({ indent, start: at + indent });
    at = LINE.lastIndex;
  }
  return lines;
}
