/**
 * The text that replaces a secret. It is shorter than the shortest secret that is removed, so it cannot contain a
 * secret.
 */
/** The text that stands in place of a removed value. */
export const MASK = '***';

/**
 * Minimum length of a secret that is removed, in characters. Shorter secrets would match in too much ordinary text. The
 * configuration warns about them.
 */
const MIN_SECRET = 4;

/**
 * Creates a function that replaces secrets in a text, also if they are encoded. It finds a secret in base64 and
 * base64url (even inside a longer encoded text), in hexadecimal, and with escapes for URLs, JSON or HTML. The escapes
 * may be applied repeatedly or only to a part of the secret.
 * Secrets of fewer than 4 characters are not removed.
 */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const kept = [...new Set(secrets)].filter((secret) => secret.length >= MIN_SECRET);
  if (kept.length === 0) return (text) => text;
  // If one secret is the beginning of another, the longer secret must be tried first. Otherwise the end of the longer
  // secret would stay in the text.
  const patterns = kept.toSorted((a, b) => b.length - a.length).flatMap(patternsOf);
  const pattern = new RegExp(patterns.join('|'), 'g');
  return (text) => text.replace(pattern, MASK);
}

function patternsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = base64Within(bytes).filter((core) => core.length >= MIN_SECRET);
  return [escapedPattern(secret), ...base64.map(base64Pattern), anyCase(bytes.toString('hex'))];
}

/**
 * Maximum number of times that a text may be escaped. It limits the repetitions in a pattern, so that no text from an
 * operator can make the search slow.
 */
const MAX_NESTING = 3;
const MAX_BACKSLASHES = 2 ** MAX_NESTING;

/** Returns a pattern that matches each character unchanged, or escaped for JSON, URLs or HTML. */
function escapedPattern(secret: string): string {
  return (secret.match(/\\+|[^\\]/gu) ?? [])
    .map((part) => (part.startsWith('\\') ? backslashPattern(part.length) : characterPattern(part)))
    .join('');
}

const HTML_NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const JSON_SHORT: Readonly<Record<string, string>> = {
  '"': '"',
  '/': '\\/',
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
};

/**
 * Returns a pattern for a sequence of backslashes. Each escaping for JSON doubles the backslashes, so the sequence is
 * matched as a whole.
 */
function backslashPattern(count: number): string {
  const one = `(?:${[percentCode('\\'), jsonCode('\\'), htmlCode('\\')].join('|')})`;
  return `(?:\\\\{${count},${count * MAX_BACKSLASHES}}|${one}{${count}})`;
}

function characterPattern(character: string): string {
  const ways = [literal(character), percentCode(character), jsonCode(character), htmlCode(character)];
  const short = JSON_SHORT[character];
  if (short !== undefined) ways.push(`\\\\{1,${MAX_BACKSLASHES}}${short}`);
  if (character === ' ') ways.push('\\+');
  return `(?:${ways.join('|')})`;
}

function percentCode(character: string): string {
  const bytes = Array.from(Buffer.from(character, 'utf8'), (byte) => byte.toString(16).padStart(2, '0'));
  return bytes.map((byte) => `%(?:25){0,${MAX_NESTING}}${anyCase(byte)}`).join('');
}

function jsonCode(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\\\{1,${MAX_BACKSLASHES}}u${anyCase(unit)}`).join('');
}

function htmlCode(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const numbers = `#0{0,6}${code}|#[xX]0{0,6}${anyCase(code.toString(16))}`;
  const name = HTML_NAMES[character];
  return `&(?:amp;){0,${MAX_NESTING}}(?:${name === undefined ? numbers : `${name}|${numbers}`});`;
}

/**
 * Returns the base64 text of these bytes as it appears inside a longer base64 text. There is one result for each of the
 * three offsets at which the bytes may begin.
 */
export function base64Within(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((offset) => base64At(bytes, offset));
}

/**
 * Returns the base64 characters that depend only on these bytes, if `offset` other bytes come before them. A character
 * at either end that also depends on other bytes is left out. Such a character reveals at most four bits of the secret.
 */
function base64At(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

function base64Pattern(core: string): string {
  return core.replace(/[+/]/g, (character) =>
    character === '+' ? '(?:[+-]|%(?:25){0,3}2[bB])' : '(?:\\\\{0,8}\\/|_|%(?:25){0,3}2[fF])',
  );
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
