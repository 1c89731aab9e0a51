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
 * Reads the JSON of a signed body. The bytes must be UTF-8, and no object may have a name twice, because parsers differ in the
 * value that they keep (RFC 8259, 4).
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
 * Returns the first name that an object has twice. undefined if there is none.
 *
 * @param text valid JSON
 */
export function duplicateName(text: string): string | undefined {
  /** For each object that is not closed yet, the names so far. undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let isNameNext = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charAt(at)) {
      case '{':
        open.push(new Set());
        isNameNext = true;
        break;
      case '[':
        open.push(undefined);
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        isNameNext = open.at(-1) !== undefined;
        break;
      case '"': {
        const end = endOfString(text, at);
        const names = isNameNext ? open.at(-1) : undefined;
        if (names) {
          const name = String(JSON.parse(text.slice(at, end + 1)));
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
