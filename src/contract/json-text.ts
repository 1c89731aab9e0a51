import type { JsonValue } from './json.ts';

export type ReadJson =
  | { readonly kind: 'json'; readonly value: JsonValue }
  /** `reason` is for developers: what is wrong with the text, and where. */
  | { readonly kind: 'refused'; readonly reason: string };

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Strings whole, so that what looks like structure inside of them is passed over; then the structure. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/**
 * Reads JSON as it must be where it is signed: UTF-8, and no object with the same name twice, as parsers differ on which
 * of the two counts (RFC 8259, 4).
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
  const twice = nameGivenTwice(text);
  return twice === undefined
    ? { kind: 'json', value }
    : { kind: 'refused', reason: `an object has the name ${JSON.stringify(twice)} twice` };
}

/** Walks over text that is known to be JSON. */
function nameGivenTwice(text: string): string | undefined {
  /** For each open object the names so far; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let isNameNext = false;
  for (const [token] of text.matchAll(TOKENS)) {
    switch (token) {
      case '{':
      case '[':
        open.push(token === '{' ? new Set() : undefined);
        isNameNext = token === '{';
        break;
      case '}':
      case ']':
        open.pop();
        isNameNext = false;
        break;
      case ',':
        isNameNext = open.at(-1) !== undefined;
        break;
      default: {
        const names = open.at(-1);
        if (!isNameNext || !names) break;
        const name = String(JSON.parse(token));
        if (names.has(name)) return name;
        names.add(name);
        isNameNext = false;
      }
    }
  }
  return undefined;
}
