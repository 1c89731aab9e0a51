import { MAX_JSON_LEVELS } from '../contract/json.ts';

/**
 * A JSON value with the details that most parsers lose: the order of members, duplicate names, and the digits of
 * numbers.
 */
export type JsonTree =
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: JsonTree])[] }
  | { readonly kind: 'array'; readonly items: readonly JsonTree[] }
  | { readonly kind: 'text'; readonly text: string }
  /** A number with its original digits, or `true`, `false` or `null`. */
  | { readonly kind: 'word'; readonly word: string };

/** The style in which a library writes JSON. */
export interface JsonStyle {
  readonly order?: 'kept' | 'sorted' | 'reversed' | ((names: readonly string[]) => readonly string[]);
  readonly colon?: string;
  readonly comma?: string;
  /** The indentation for each level. If it is undefined, everything is written on one line. */
  readonly indent?: string;
  readonly lineEnd?: string;
  /** Writes a string with its quotation marks. The default is JSON.stringify. */
  readonly quote?: (text: string) => string;
}

const TOKEN = /[ \t\r\n]*(?:([{}[\],:])|"([^"\\]*(?:\\.[^"\\]*)*)"|([^\s{}[\],:"]+))/sy;

/** Reads JSON text. Returns undefined if the text is not JSON, or if it is nested more than 100 levels deep. */
export function readTree(text: string): JsonTree | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tokens = new Tokens(text);
  try {
    return tokens.value(0);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Parses text that is known to be JSON into a JsonTree. */
class Tokens {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonTree {
    if (depth > MAX_JSON_LEVELS) throw new RangeError('the JSON text is nested too deeply');
    const { mark, text, word } = this.#next();
    if (mark === '{') return this.#object(depth);
    if (mark === '[') return this.#array(depth);
    return text === undefined ? { kind: 'word', word: word ?? '' } : { kind: 'text', text };
  }

  #object(depth: number): JsonTree {
    const members: (readonly [string, JsonTree])[] = [];
    for (;;) {
      const { mark, text = '' } = this.#next();
      if (mark === '}') return { kind: 'object', members };
      if (mark === ',') continue;
      this.#next();
      members.push([text, this.value(depth + 1)]);
    }
  }

  #array(depth: number): JsonTree {
    const items: JsonTree[] = [];
    for (;;) {
      const before = this.#at;
      const { mark } = this.#next();
      if (mark === ']') return { kind: 'array', items };
      if (mark === ',') continue;
      this.#at = before;
      items.push(this.value(depth + 1));
    }
  }

  #next(): {
    readonly mark?: string | undefined;
    readonly text?: string | undefined;
    readonly word?: string | undefined;
  } {
    TOKEN.lastIndex = this.#at;
    const match = TOKEN.exec(this.#text);
    if (!match) throw new RangeError('the JSON text ends too early');
    this.#at = TOKEN.lastIndex;
    const [, mark, quoted, word] = match;
    return { mark, word, text: quoted === undefined ? undefined : String(JSON.parse(`"${quoted}"`)) };
  }
}

/**
 * Writes a tree in a style. The default style is compact, keeps the order of members, and writes strings with
 * JSON.stringify.
 */
export function writeTree(tree: JsonTree, style: JsonStyle = {}): string {
  return write(tree, style, '');
}

function write(tree: JsonTree, style: JsonStyle, margin: string): string {
  const { colon = ':', quote = JSON.stringify } = style;
  switch (tree.kind) {
    case 'word':
      return tree.word;
    case 'text':
      return quote(tree.text);
    case 'array':
      return enclosed(
        '[',
        tree.items.map((item) => write(item, style, inner(style, margin))),
        ']',
        style,
        margin,
      );
    case 'object': {
      const members = inOrder(tree.members, style.order ?? 'kept').map(
        ([name, value]) => `${quote(name)}${colon}${write(value, style, inner(style, margin))}`,
      );
      return enclosed('{', members, '}', style, margin);
    }
  }
}

function inner({ indent = '' }: JsonStyle, margin: string): string {
  return margin + indent;
}

function enclosed(open: string, parts: readonly string[], close: string, style: JsonStyle, margin: string): string {
  const { indent, comma = ',', lineEnd = '\n' } = style;
  if (indent === undefined || parts.length === 0) return `${open}${parts.join(comma)}${close}`;
  const lines = parts.map((part) => `${lineEnd}${margin}${indent}${part}`);
  return `${open}${lines.join(comma.trimEnd())}${lineEnd}${margin}${close}`;
}

type Members = Extract<JsonTree, { kind: 'object' }>['members'];

function inOrder(members: Members, order: NonNullable<JsonStyle['order']>): Members {
  if (order === 'kept') return members;
  if (order === 'reversed') return members.toReversed();
  const names = members.map(([name]) => name);
  const wanted = order === 'sorted' ? names.toSorted() : order(names);
  return members.toSorted(([a], [b]) => wanted.indexOf(a) - wanted.indexOf(b));
}

/**
 * Returns a copy of a tree with changed strings and words.
 *
 * @param change gets each string or word, and the name of the nearest member that contains it
 */
export function mapTree(tree: JsonTree, change: (value: JsonTree, name: string) => JsonTree, name = ''): JsonTree {
  switch (tree.kind) {
    case 'object':
      return { kind: 'object', members: tree.members.map(([each, value]) => [each, mapTree(value, change, each)]) };
    case 'array':
      return { kind: 'array', items: tree.items.map((item) => mapTree(item, change, name)) };
    case 'text':
    case 'word':
      return change(tree, name);
  }
}
