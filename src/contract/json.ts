/** A value that JSON can represent. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export type ReadJson =
  | { readonly kind: 'json'; readonly value: JsonValue }
  /** `reason` says, for developers, what is wrong in the text and where. */
  | { readonly kind: 'refused'; readonly reason: string };

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/**
 * Reads the JSON of a signed body. The bytes must be UTF-8. No object may have a name twice: some parsers keep the first of the two
 * values, and others the last (RFC 8259, 4).
 */
export function readJson(bytes: Uint8Array): ReadJson {
  if (bytes.length === 0) return { kind: 'refused', reason: 'there is no body' };
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return { kind: 'refused', reason: 'it is not text in UTF-8' };
  }
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { kind: 'refused', reason: error instanceof Error ? error.message : String(error) };
  }
  const twice = duplicateName(text);
  return twice === undefined
    ? { kind: 'json', value }
    : { kind: 'refused', reason: `an object has the name ${JSON.stringify(twice)} twice` };
}

/**
 * Maximum number of levels of arrays and objects in a JSON text. A reply of the contract has one level. Recursive
 * functions would fail at some thousand levels.
 */
export const MAX_JSON_LEVELS = 100;

/** The characters that begin or end an array, an object or a string. */
const LEVELS = /["[\]{}]/g;

/** True if a text has more than {@link MAX_JSON_LEVELS} levels of arrays and objects. The text may be invalid JSON. */
export function isTooDeep(text: string): boolean {
  if (text.length <= MAX_JSON_LEVELS || hasFewOpenings(text)) return false;
  let levels = 0;
  LEVELS.lastIndex = 0;
  for (let found = LEVELS.exec(text); found; found = LEVELS.exec(text)) {
    switch (found[0]) {
      case '"': {
        const end = endOfString(text, found.index);
        if (end < 0) return false;
        LEVELS.lastIndex = end + 1;
        break;
      }
      case '[':
      case '{':
        levels += 1;
        if (levels > MAX_JSON_LEVELS) return true;
        break;
      default:
        levels -= 1;
    }
  }
  return false;
}

/**
 * True if a text has too few opening brackets to have more than {@link MAX_JSON_LEVELS} levels. This check is much
 * faster than counting the levels.
 */
function hasFewOpenings(text: string): boolean {
  return countUpTo(MAX_JSON_LEVELS, '[', text) + countUpTo(MAX_JSON_LEVELS, '{', text) <= MAX_JSON_LEVELS;
}

/**
 * Maximum number of names in the objects of a JSON text. A reply of the contract has about ten names. Each name costs
 * time and memory.
 */
export const MAX_JSON_NAMES = 10_000;

/** The characters that begin a string, or end the name of a member. */
const NAMES = /[":]/g;

/** True if a text has more than {@link MAX_JSON_NAMES} names of members. The text may be invalid JSON. */
export function hasTooManyNames(text: string): boolean {
  if (countUpTo(MAX_JSON_NAMES, ':', text) <= MAX_JSON_NAMES) return false;
  let names = 0;
  NAMES.lastIndex = 0;
  for (let found = NAMES.exec(text); found; found = NAMES.exec(text)) {
    if (found[0] === ':') {
      names += 1;
      if (names > MAX_JSON_NAMES) return true;
      continue;
    }
    const end = endOfString(text, found.index);
    if (end < 0) return false;
    NAMES.lastIndex = end + 1;
  }
  return false;
}

/** Counts how often a character occurs in a text. Stops as soon as the count is higher than `limit`. */
function countUpTo(limit: number, character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0 && count <= limit; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

// The characters of a JSON text that decide where names are.
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Returns the first name that an object has twice; undefined if no object has a name twice.
 *
 * @param text valid JSON
 */
export function duplicateName(text: string): string | undefined {
  /** For each object that is not closed yet, the names so far. undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let isNameNext = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case OPEN_BRACE:
        open.push(new Set());
        isNameNext = true;
        break;
      case OPEN_BRACKET:
        open.push(undefined);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop();
        break;
      case COMMA:
        isNameNext = open.at(-1) !== undefined;
        break;
      case QUOTE: {
        const end = endOfString(text, at);
        if (end < 0) return undefined;
        const names = isNameNext ? open.at(-1) : undefined;
        if (names) {
          const written = text.slice(at + 1, end);
          const name = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
          if (names.has(name)) return name;
          names.add(name);
        }
        isNameNext = false;
        at = end;
      }
    }
  }
  return undefined;
}

/** Returns the position of the quotation mark that closes a string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** True if an odd number of backslashes stands before the character. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}
