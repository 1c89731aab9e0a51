import { formsOf, MIN_RUN, peculiarPlaces, type SecretForm } from './secret-forms.ts';
import { originOf, type View, viewsOf } from './unescape.ts';

/** The text that replaces a secret. It is shorter than every secret that is removed, so it contains no secret itself. */
export const MASK = '***';

/** Minimum length of a secret that is removed, in characters. Shorter secrets would also be found in ordinary text. */
const MIN_SECRET = 4;

/**
 * A part of a secret that consists of ordinary words or of digits is removed only if it has at least this number of characters. A
 * shorter part, such as `integration`, also occurs in texts that have nothing to do with the secret.
 */
const MIN_WORDS = 16;

/**
 * Words of calls and reports. If a secret of fewer than 8 characters is such a word, it is not removed, because nobody could read a
 * report without these words.
 */
const COMMON: ReadonlySet<string> = new Set(
  'event sent true false null none balance amount type free bet win refund call message code session player game round reply status http https json text error test date host user name data info'.split(
    ' ',
  ),
);

/**
 * Creates a function that replaces secrets in a text. It also replaces each part of a secret that has at least 8 characters,
 * because a text may have been cut or broken into lines. It finds a secret backwards, in other letter case, in UTF-16, in base64
 * and in hexadecimal (once or twice, also inside a longer encoded text), and with escapes for URLs, JSON or HTML.
 *
 * A secret of 4 to 7 characters is removed only if it is a whole word. Shorter secrets are not removed.
 */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const all = [...new Set(secrets)];
  const search = new SecretSearch(all.filter((secret) => secret.length >= MIN_RUN));
  const short = shortPattern(all.filter((secret) => secret.length >= MIN_SECRET && secret.length < MIN_RUN));
  return (text) => {
    const clean = search.masked(text);
    return short === null ? clean : clean.replace(short, MASK);
  };
}

function shortPattern(secrets: readonly string[]): RegExp | null {
  const kept = secrets.filter((secret) => !COMMON.has(secret.toLowerCase()) && !/^[\d.]+$/.test(secret));
  if (kept.length === 0) return null;
  const words = kept
    .toSorted((a, b) => b.length - a.length)
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex')])
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`(?<![\\p{L}\\d])(?:${words.join('|')})(?![\\p{L}\\d])`, 'giu');
}

interface Needle extends SecretForm {
  readonly codes: Uint16Array;
  /**
   * For each position in the secret: true if the MIN_RUN characters from this position can't be ordinary words. Null if the
   * secret is encoded, because encoded characters are never ordinary words.
   */
  readonly peculiar: readonly boolean[] | null;
}

interface Place {
  readonly needle: Needle;
  readonly at: number;
}

type Range = readonly [from: number, to: number];

/** Number of bits of a hash that select an entry of the filter. */
const FILTER_BITS = 16;
/** Each character moves the hash by this number of bits. So a character has left the 32 bits of the hash after MIN_RUN others. */
const SHIFT = 32 / MIN_RUN;
/** Number of the characters whose folded code and number are in a table. */
const TABLE = 256;
/** For each of these characters, the number that it adds to a hash. */
const ADDED = Int32Array.from({ length: TABLE }, (_, code) => scattered(folded(code)));

/** Maximum length of a text that is first checked without its views, in characters. */
const SHORT_TEXT = 256;

/** Finds parts of secrets in a text. Even in the worst case, a text that is twice as long takes only twice the time. */
class SecretSearch {
  readonly #places = new Map<number, Place[]>();
  /**
   * Has a 1 bit for each hash in `#places`. For most places of a text, the bit is 0, which shows at once that no secret is there.
   */
  readonly #filter = new Int32Array(1 << (FILTER_BITS - 5));
  /**
   * The folded codes of the text that is searched. All searches use the same array, because creating a new array for each text
   * takes longer.
   */
  #codes = new Uint16Array(1024);

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) {
      for (const form of formsOf(secret)) {
        if (form.text.length < MIN_RUN) continue;
        const needle = {
          ...form,
          min: Math.min(form.min, form.text.length),
          codes: foldedCodes(form.text),
          peculiar: form.encoded ? null : peculiarPlaces(form.text),
        };
        // The distance between these places is so small that every part of the minimum length contains one of them.
        for (let at = 0; at + MIN_RUN <= form.text.length; at += needle.min - MIN_RUN + 1) this.#add({ needle, at });
      }
    }
  }

  #add(place: Place): void {
    const hash = hashOf(place.needle.codes, place.at);
    const bit = hash >>> (32 - FILTER_BITS);
    this.#filter[bit >>> 5] = (this.#filter[bit >>> 5] as number) | (1 << (bit & 31));
    const places = this.#places.get(hash);
    if (places === undefined) this.#places.set(hash, [place]);
    else places.push(place);
  }

  masked(text: string): string {
    if (this.#places.size === 0 || text.length < MIN_RUN || this.#isCertainlyClean(text)) return text;
    const ranges: Range[] = [];
    for (const view of viewsOf(text)) {
      this.#search(view, ranges);
      const narrow = withoutZeros(view);
      if (narrow !== null) this.#search(narrow, ranges);
    }
    return ranges.length === 0 ? text : withMasks(text, ranges);
  }

  /**
   * True if a text is short, has no escape and no NUL, and no part of it can be part of a secret. Then the search would find nothing.
   * A load test removes secrets from thousands of short texts a second. This check needs much less time than the search.
   */
  #isCertainlyClean(text: string): boolean {
    const { length } = text;
    if (length > SHORT_TEXT) return false;
    const filter = this.#filter;
    let hash = 0;
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at);
      // A percent sign, a backslash or an ampersand begins an escape.
      if (code === 0 || code === 0x25 || code === 0x5c || code === 0x26 || code >= TABLE) return false;
      hash = ((hash << SHIFT) + (ADDED[code] as number)) | 0;
      const bit = hash >>> (32 - FILTER_BITS);
      if ((((filter[bit >>> 5] as number) >>> (bit & 31)) & 1) !== 0 && this.#places.has(hash)) return false;
    }
    return true;
  }

  #search(view: View, ranges: Range[]): void {
    const { text } = view;
    const { length } = text;
    if (this.#codes.length < length) this.#codes = new Uint16Array(2 * length);
    const codes = this.#codes;
    const filter = this.#filter;
    for (let at = 0; at < length; at += 1) codes[at] = folded(text.charCodeAt(at));
    let hash = 0;
    let masked = 0;
    for (let at = 0; at < length; at += 1) {
      hash = ((hash << SHIFT) + scattered(codes[at] as number)) | 0;
      const from = at - MIN_RUN + 1;
      if (from < 0) continue;
      const bit = hash >>> (32 - FILTER_BITS);
      if (from < masked || (((filter[bit >>> 5] as number) >>> (bit & 31)) & 1) === 0) continue;
      for (const place of this.#places.get(hash) ?? []) {
        const range = rangeAround(codes, length, from, place);
        if (range === null || !isSecret(text, range, from, place)) continue;
        ranges.push([originOf(view, range[0]), originOf(view, range[1])]);
        masked = Math.max(masked, range[1]);
      }
    }
  }
}

/**
 * Returns the codes of the characters. Characters that count as equal get the same code: a capital and a small letter, and the
 * different characters of the two base64 alphabets (`-` and `+`, `_` and `/`).
 */
function foldedCodes(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) codes[at] = folded(text.charCodeAt(at));
  return codes;
}

function folded(code: number): number {
  return code >= 0x41 && code <= 0x5a
    ? code | 0x20
    : code === 0x2d /* - */
      ? 0x2b
      : code === 0x5f /* _ */
        ? 0x2f
        : code;
}

function hashOf(codes: Uint16Array, from: number): number {
  let hash = 0;
  for (let at = from; at < from + MIN_RUN; at += 1) hash = ((hash << SHIFT) + scattered(codes[at] as number)) | 0;
  return hash;
}

/** Returns a number whose bits all depend on the code, and which differs from the numbers of similar codes. */
function scattered(code: number): number {
  const mixed = Math.imul(code + 1, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca77);
}

/**
 * Finds the longest part of the text that contains the place and is equal to a part of the needle. Returns null if there is no such
 * part.
 *
 * @param codes begins with the codes of the text, whose length is `length`
 */
function rangeAround(codes: Uint16Array, length: number, from: number, { needle, at }: Place): Range | null {
  let left = 0;
  while (left < Math.min(from, at) && codes[from - left - 1] === needle.codes[at - left - 1]) left += 1;
  let right = 0;
  const most = Math.min(length - from, needle.codes.length - at);
  while (right < most && codes[from + right] === needle.codes[at + right]) right += 1;
  return right < MIN_RUN || left + right < needle.min ? null : [from - left, from + right];
}

/** True if the part of the needle in this range of the text is not there by chance. */
function isSecret(text: string, [start, end]: Range, from: number, { needle, at }: Place): boolean {
  const { peculiar } = needle;
  if (peculiar === null || end - start >= MIN_WORDS) return true;
  const first = at - (from - start);
  for (let place = first; place + MIN_RUN <= first + end - start; place += 1) if (peculiar[place]) return true;
  // If a short secret consists of ordinary words, such as `test-key`, it is removed only as a whole.
  return end - start === needle.text.length && !isWordPart(text, start - 1) && !isWordPart(text, end);
}

function isWordPart(text: string, at: number): boolean {
  return /[\p{L}\d]/u.test(text.charAt(at));
}

/**
 * Returns the view without its NUL characters, or null if it has none. If UTF-16 was read byte by byte, a NUL is beside each ASCII
 * character.
 */
function withoutZeros(view: View): View | null {
  if (!view.text.includes('\0')) return null;
  const starts = new Int32Array(view.text.length + 1);
  let length = 0;
  for (let at = 0; at < view.text.length; at += 1)
    if (view.text.charCodeAt(at) !== 0) starts[length++] = originOf(view, at);
  starts[length++] = originOf(view, view.text.length);
  return { text: view.text.replaceAll('\0', ''), starts: starts.subarray(0, length) };
}

function withMasks(text: string, ranges: readonly Range[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const from = start + (isEscaped(text, start) ? 1 : 0);
    const to = end - (text.charAt(end - 1) === '\\' && !isEscaped(text, end - 1) && end < text.length ? 1 : 0);
    if (to <= done) continue;
    if (from >= done && (from > done || done === 0)) pieces.push(text.slice(done, from), MASK);
    done = to;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}

/**
 * True if a character is the second character of an escape of JSON. A mask must not replace such a character. Otherwise the text
 * would not be valid JSON any more.
 */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charAt(at - 1 - backslashes) === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
