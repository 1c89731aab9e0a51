/** What stands in place of a secret. Shorter than the shortest secret that is removed, so that it can't hold one. */
const MASK = '***';

/** Shorter secrets would blank half of every text, and are guessed at once anyway; configuration warns of them. */
const SHORTEST = 4;

/**
 * Makes a function that removes secrets from any text that is written: plain; in base64 and base64url, at each of the
 * three offsets within a longer encoded text; in hexadecimal; percent-encoded, once or repeatedly; escaped for JSON, also within
 * JSON; escaped for HTML. Parts of a secret may be escaped and others not. Secrets of fewer than 4 characters are left alone.
 */
export function createScrubber(secrets: readonly string[]): (text: string) => string {
  const kept = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST);
  if (kept.length === 0) return (text) => text;
  // Where one secret is the beginning of another, the longer one has to be tried first, or its rest would stay.
  const patterns = kept.toSorted((a, b) => b.length - a.length).flatMap(patternsOf);
  const pattern = new RegExp(patterns.join('|'), 'g');
  return (text) => text.replace(pattern, MASK);
}

function patternsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = base64Within(bytes).filter((core) => core.length >= SHORTEST);
  return [escapedPattern(secret), ...base64.map(base64Pattern), anyCase(bytes.toString('hex'))];
}

/**
 * How often text may have been put into a text of the next kind. Repetitions in a pattern are bounded by it, so that no text of an
 * operator's can make the search slow.
 */
const NESTED = 3;
const BACKSLASHES = 2 ** NESTED;

/** Each character as itself or in any of the ways in which JSON, URLs and HTML write it. */
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

/** Backslashes double with every JSON text that they are put into, so that a run of them can only be taken as a whole. */
function backslashPattern(count: number): string {
  const one = `(?:${[percentCode('\\'), jsonCode('\\'), htmlCode('\\')].join('|')})`;
  return `(?:\\\\{${count},${count * BACKSLASHES}}|${one}{${count}})`;
}

function characterPattern(character: string): string {
  const ways = [literal(character), percentCode(character), jsonCode(character), htmlCode(character)];
  const short = JSON_SHORT[character];
  if (short !== undefined) ways.push(`\\\\{1,${BACKSLASHES}}${short}`);
  if (character === ' ') ways.push('\\+');
  return `(?:${ways.join('|')})`;
}

function percentCode(character: string): string {
  const bytes = Array.from(Buffer.from(character, 'utf8'), (byte) => byte.toString(16).padStart(2, '0'));
  return bytes.map((byte) => `%(?:25){0,${NESTED}}${anyCase(byte)}`).join('');
}

function jsonCode(character: string): string {
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return units.map((unit) => `\\\\{1,${BACKSLASHES}}u${anyCase(unit)}`).join('');
}

function htmlCode(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const numbers = `#0{0,6}${code}|#[xX]0{0,6}${anyCase(code.toString(16))}`;
  const name = HTML_NAMES[character];
  return `&(?:amp;){0,${NESTED}}(?:${name === undefined ? numbers : `${name}|${numbers}`});`;
}

/** What shows these bytes within a longer text in base64, at each of the three places where they may begin in it. */
export function base64Within(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((offset) => base64At(bytes, offset));
}

/**
 * The characters of base64 that these bytes alone decide when `offset` bytes stand before them. The character at either end that
 * a neighbour shares is left out: it gives away at most four bits.
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
