import { type Fields, isFields } from '../../json-fields.ts';

/** Maximum number of objects around a value. Node.js itself prints only three, and `[Object]` in place of the next one. */
const MAX_DEPTH = 20;
const KEY = /([\w$]+|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[[\w .()'"-]{1,100}\]): /y;
const TEXT = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/y;
const MORE_TEXT = / \+\s*(?=['"`])/y;
const CUT = /\.\.\. \d+ more characters?/y;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?n?(?![\w.])/y;
/** The name of a class before an object, and a mark of an object that occurs twice. */
const CLASS = /(?:<ref \*\d+> )?(?:[A-Z][\w$]*(?:\(\d+\))? |\[[\w$: -]{1,60}\] )?(?=[{[])/y;
/** Values that JSON does not have, and objects that Node.js has left out: `[Object]`, `[Function: name]`, `<Buffer 7b>`. */
const ABSENT =
  /undefined|\[[A-Z][\w$ :*().]{0,200}\]|<[A-Z][\w ]{0,200}(?:\.\.\. \d+ more bytes?)?>|Symbol\([^)]{0,100}\)|NaN|-?Infinity/y;
const WORD = /true|false|null/y;
const MORE_ITEMS = /\.\.\. \d+ more items?/y;
const SPACE = /\s*/y;

/**
 * Reads an object that `util.inspect` or `console.log` of Node.js has printed. A field that Node.js has left out counts as absent.
 * Returns undefined if the text is not such an object.
 */
export function inspectedObject(text: string): Fields | undefined {
  const reading = new Inspected(text);
  const value = reading.value(0);
  return isFields(value) && reading.isAtEnd ? value : undefined;
}

/** Stands for a text that is not a value. */
const WRONG = Symbol('wrong');

class Inspected {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    this.#take(SPACE);
    return this.#at === this.#text.length;
  }

  value(depth: number): unknown {
    const text = this.#string();
    if (text !== undefined) return text;
    const plain = this.#take(TIME) ?? this.#take(WORD);
    if (plain !== undefined)
      return plain === 'null' ? null : plain === 'true' ? true : plain === 'false' ? false : plain;
    const number = this.#take(NUMBER);
    if (number !== undefined) return Number(number.replace('n', ''));
    if (this.#take(ABSENT) !== undefined) return undefined;
    this.#take(CLASS);
    if (depth > MAX_DEPTH) return WRONG;
    const open = this.#text[this.#at];
    if (open !== '{' && open !== '[') return WRONG;
    this.#at += 1;
    return open === '{' ? this.#object(depth) : this.#list(depth);
  }

  #object(depth: number): unknown {
    const fields: Record<string, unknown> = {};
    for (;;) {
      this.#take(SPACE);
      if (this.#is('}')) return fields;
      const key = this.#take(KEY);
      if (key === undefined) return WRONG;
      const value = this.value(depth + 1);
      if (value === WRONG) return WRONG;
      const name = key.slice(0, -2).replace(/^(['"])(.*)\1$/s, '$2');
      if (value !== undefined && name !== '__proto__') fields[name] = value;
      this.#take(SPACE);
      if (!this.#is(',') && this.#text[this.#at] !== '}') return WRONG;
    }
  }

  #list(depth: number): unknown {
    const values: unknown[] = [];
    for (;;) {
      this.#take(SPACE);
      if (this.#is(']')) return values;
      if (this.#take(MORE_ITEMS) === undefined) {
        const value = this.value(depth + 1);
        if (value === WRONG) return WRONG;
        values.push(value);
      }
      this.#take(SPACE);
      if (!this.#is(',') && this.#text[this.#at] !== ']') return WRONG;
    }
  }

  /** Reads a string. Older versions of Node.js print a long string in several parts. */
  #string(): string | undefined {
    const first = this.#take(TEXT);
    if (first === undefined) return undefined;
    let text = unescaped(first);
    while (this.#take(MORE_TEXT) !== undefined) text += unescaped(this.#take(TEXT) ?? "''");
    return this.#take(CUT) === undefined ? text : `${text}…`;
  }

  #is(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' };

function unescaped(literal: string): string {
  return literal
    .slice(1, -1)
    .replaceAll(/\\(?:x([\dA-F]{2})|u([\dA-F]{4})|(.))/gs, (_, byte?: string, unit?: string, sign = '') =>
      byte === undefined && unit === undefined
        ? (ESCAPES[sign] ?? sign)
        : String.fromCharCode(Number.parseInt(byte ?? unit ?? '', 16)),
    );
}
