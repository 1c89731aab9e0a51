/** Where a value counts as found: anywhere in a text, or only if it is a whole word. */
export type Scope = 'anywhere' | 'whole word';

/** A value that must not be in a capsule. */
export interface KnownValue {
  /** The id or the secret. */
  readonly id: string;
  /** A spelling of the value. This text is searched. */
  readonly text: string;
  readonly scope: Scope;
  /** The alias of an id; the mask of a secret. */
  readonly replacement: string;
}

/** A place of a value in a text. */
export interface Occurrence {
  readonly value: KnownValue;
  readonly at: number;
  readonly end: number;
}

/**
 * Maximum number of characters of a value that are searched in a text. With this limit, the time of a search does not depend on the
 * length of the values. If only the first characters of a value are searched, the text after them counts as the rest of the value,
 * up to white space or a quotation mark.
 */
const MAX_LENGTH = 512;
const REST_OF_LONG = /[^\s"'<>,;&\\]*/y;

/**
 * A part of the sorted list: the values with the same first two characters. `from` is the position of the first value. `to` is
 * the position after the last value.
 */
type Range = readonly [from: number, to: number];

/**
 * Finds known values in a text. The letter case does not matter. A plus sign counts as a space, because forms write a space as a
 * plus sign.
 */
export class KnownValues {
  /** The folded texts of the values, cut to the maximum length, sorted by their characters. */
  readonly #texts: readonly string[];
  /** The values of these texts. */
  readonly #values: readonly KnownValue[];
  /** For each text: the position of the longest other text that is the beginning of this text; -1 if there is none. */
  readonly #shorter: Int32Array;
  /** The texts by their first two characters. */
  readonly #ranges = new Map<number, Range>();
  /**
   * Marks the hashes of the first two characters of all values. In most places of a text, no value can begin. With these marks,
   * such a place is skipped quickly.
   */
  readonly #begins = new Uint8Array(BEGINS);

  /** If a text is given several times, the first value counts. */
  constructor(values: Iterable<KnownValue>) {
    const byText = new Map<string, KnownValue>();
    for (const value of values) {
      const text = folded(value.text).slice(0, MAX_LENGTH);
      if (text.length >= 2 && !byText.has(text)) byText.set(text, value);
    }
    const sorted = [...byText].sort(([a], [b]) => (a < b ? -1 : 1));
    this.#texts = sorted.map(([text]) => text);
    this.#values = sorted.map(([, value]) => value);
    this.#shorter = shorterTexts(this.#texts);
    for (const [index, text] of this.#texts.entries()) {
      const begin = beginOf(text, 0);
      this.#ranges.set(begin, [this.#ranges.get(begin)?.[0] ?? index, index + 1]);
      this.#begins[hashOf(begin)] = 1;
    }
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  /**
   * Returns the places of values from left to right. The places never overlap. If several values are at one place, the longest one
   * is returned.
   *
   * @param isRight returns false to refuse a place, for example if the value is only a part of a word
   */
  in(text: string, isRight: (found: Occurrence) => boolean): readonly Occurrence[] {
    const found: Occurrence[] = [];
    if (this.isEmpty) return found;
    const small = folded(text);
    for (let at = 0; at < small.length - 1; ) {
      const begin = beginOf(small, at);
      const range = this.#begins[hashOf(begin)] === 1 ? this.#ranges.get(begin) : undefined;
      const one = range && this.#at(range, small, text, at, isRight);
      if (one) found.push(one);
      at = one?.end ?? at + 1;
    }
    return found;
  }

  /**
   * Finds the longest value with which the text at a place begins. First finds the last value in the sorted list that is not greater
   * than this text. If the text does not begin with the value that was found, tries shorter values that are the beginning of it.
   */
  #at(
    range: Range,
    small: string,
    text: string,
    at: number,
    isRight: (found: Occurrence) => boolean,
  ): Occurrence | undefined {
    const last = this.#lastUpTo(range, small, at);
    if (last < 0) return undefined;
    const common = commonLength(this.#texts[last] ?? '', small, at);
    for (let index = last; index >= 0; index = this.#shorter[index] ?? -1) {
      const [length, value] = [this.#texts[index]?.length ?? 0, this.#values[index]];
      if (length > common || !value) continue;
      const one = { value, at, end: length < MAX_LENGTH ? at + length : endOfLong(text, at + length) };
      if (isRight(one)) return one;
    }
    return undefined;
  }

  /** Returns the position of the last value in the range that is not greater than the text from `at` on; -1 if there is none. */
  #lastUpTo([from, to]: Range, small: string, at: number): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >> 1;
      const candidate = this.#texts[middle] ?? '';
      const common = commonLength(candidate, small, at);
      const isUpTo = common === candidate.length || candidate.charCodeAt(common) < small.charCodeAt(at + common);
      if (isUpTo) low = middle + 1;
      else high = middle;
    }
    return low > from ? low - 1 : -1;
  }
}

const BEGINS = 2 ** 16;

function beginOf(text: string, at: number): number {
  return text.charCodeAt(at) * BEGINS + text.charCodeAt(at + 1);
}

function hashOf(begin: number): number {
  return (begin ^ (begin >>> 8)) & (BEGINS - 1);
}

/**
 * The texts are sorted. Returns for each text the position of the longest other text that is its beginning; -1 if there is none.
 */
function shorterTexts(texts: readonly string[]): Int32Array {
  const shorter = new Int32Array(texts.length);
  const open: number[] = [];
  for (const [index, text] of texts.entries()) {
    while (open.length > 0 && !text.startsWith(texts[open.at(-1) ?? 0] ?? '')) open.pop();
    shorter[index] = open.at(-1) ?? -1;
    open.push(index);
  }
  return shorter;
}

/** Returns the number of characters that a value has in common with a text at a place. */
function commonLength(value: string, text: string, at: number): number {
  let length = 0;
  while (
    length < value.length &&
    at + length < text.length &&
    value.charCodeAt(length) === text.charCodeAt(at + length)
  )
    length += 1;
  return length;
}

function endOfLong(text: string, from: number): number {
  REST_OF_LONG.lastIndex = from;
  return from + (REST_OF_LONG.exec(text)?.[0].length ?? 0);
}

/** Returns the text in lower case, character by character, so that every position stays the same. */
function folded(text: string): string {
  const small = text.toLowerCase();
  const lower = small.length === text.length ? small : text.replace(/\P{L}|\p{L}/gu, inLowerCase);
  return lower.replaceAll('+', ' ').replaceAll('ς', 'σ');
}

function inLowerCase(character: string): string {
  const small = character.toLowerCase();
  return small.length === character.length ? small : character;
}
