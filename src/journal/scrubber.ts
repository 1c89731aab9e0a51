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
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset)).filter((core) => core.length >= SHORTEST);
  return [escapedPattern(secret), ...base64.map(base64Pattern), anyCase(bytes.toString('hex'))];
}

/** Each character as itself or in any of the ways in which JSON, URLs and HTML write it. */
function escapedPattern(secret: string): string {
  return Array.from(secret, characterPattern).join('');
}

const HTML_NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
const JSON_SHORT: Readonly<Record<string, string>> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't' };

function characterPattern(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const percent = [...Buffer.from(character, 'utf8')]
    .map((byte) => `%(?:25)*${anyCase(byte.toString(16).padStart(2, '0'))}`)
    .join('');
  const units = character.split('').map((unit) => {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\\\+u${anyCase(hex)}`;
  });
  const ways = [literal(character), percent, units.join('')];
  // The same text may be escaped once more for each JSON text that it was put into.
  if ('"\\/'.includes(character)) ways.unshift(`\\\\+${literal(character)}`);
  const short = JSON_SHORT[character];
  if (short !== undefined) ways.push(`\\\\+${short}`);
  if (character === ' ') ways.push('\\+');
  const name = HTML_NAMES[character];
  const numbers = `#0*${code}|#[xX]0*${anyCase(code.toString(16))}`;
  ways.push(`&(?:amp;)*(?:${name === undefined ? numbers : `${name}|${numbers}`});`);
  return `(?:${ways.join('|')})`;
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
    character === '+' ? '(?:[+-]|%(?:25)*2[bB])' : '(?:\\\\*\\/|_|%(?:25)*2[fF])',
  );
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
