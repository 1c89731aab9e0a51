import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import type { Verbosity } from '../options.ts';

/** Returns the number of terminal columns that a text takes. A letter of a wide script or an emoji takes two columns. */
export function columnsOf(text: string): number {
  return stringWidth(text);
}

/** Appends spaces to a text until it takes `columns` columns. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(columns - columnsOf(text), 0));
}

/** Puts spaces before a text until it takes `columns` columns. */
export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(columns - columnsOf(text), 0)) + text;
}

/** Cuts a text to at most `columns` columns. An ellipsis replaces the rest. */
export function cutTo(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  const [start = ''] = wrapAnsi(text, columns - 1, { hard: true, wordWrap: false, trim: false }).split('\n');
  return `${start}…`;
}

/**
 * Breaks text into lines of at most `width` columns. Breaks at spaces, and in JSON also after commas. An identifier, an address or
 * a signature is never broken, so that a user can copy it. If such a text is longer than `width`, its line is longer than `width`
 * too. An exception is text in a script without spaces, such as Chinese: it may be broken anywhere.
 */
export function wrap(text: string, width: number): readonly string[] {
  const identifiers: string[] = [];
  // wrap-ansi would break a long identifier. So during the wrapping, a word of exactly `width` columns takes the place of the
  // identifier.
  const standIn = STAND_IN.repeat(width);
  const pieces = (word: string): readonly string[] =>
    columnsOf(word) <= width ? [word] : brokenAfterCommas(word, width);
  const words = text.split(' ').map((word) =>
    pieces(word)
      .map((piece) => {
        if (columnsOf(piece) <= width || !IDENTIFIER.test(piece) || text.includes(STAND_IN)) return piece;
        identifiers.push(piece);
        return standIn;
      })
      .join('\n'),
  );
  return wrapAnsi(words.join(' '), width, { hard: true })
    .split('\n')
    .map((line) => (line === standIn ? (identifiers.shift() ?? line) : line));
}

/** A character of the private use area, which texts hardly ever contain. */
const STAND_IN = '\uE000';
const IDENTIFIER = /^\p{ASCII}+$/u;

/** Returns a label with a wrapped text beside it. The second and later lines are aligned with the text, not with the label. */
export function hanging(label: string, text: string, width: number): readonly string[] {
  const indent = columnsOf(label);
  const room = Math.max(width - indent, 20);
  return wrap(text, room).map((line, index) => (index === 0 ? label : ' '.repeat(indent)) + line);
}

const NO_BREAK_SPACE = '\u00A0';

/** Puts pieces into lines of at most `width` columns. A piece is never split. Colour codes do not count as columns. */
export function flow(pieces: readonly string[], gap: string, width: number): readonly string[] {
  if (pieces.length === 0) return [];
  const whole = pieces.map((piece) => piece.replaceAll(' ', NO_BREAK_SPACE));
  return wrapAnsi(whole.join(gap), width).replaceAll(NO_BREAK_SPACE, ' ').split('\n');
}

/** Cuts a text that is longer than `max` characters and appends its whole length. A shorter text is unchanged. */
export function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}… (${text.length} characters)`;
}

/** Formats milliseconds for people, as in `0.4 ms`, `12 ms`, `6.4 s` or `2 min 3 s`. */
export function duration(ms: number): string {
  if (ms < 9.95) return `${(Math.round(ms * 10) / 10).toString()} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns the text with a capital first letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Breaks a long word after commas, so that JSON stays readable. White space after a comma does not change its meaning. */
function brokenAfterCommas(word: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of word.split(/(?<=,)/u)) {
    const longer = (lines.at(-1) ?? '') + part;
    if (columnsOf(longer) <= width) lines.splice(-1, 1, longer);
    else lines.push(part);
  }
  return lines;
}

/** Maximum number of names in a list of the short report. */
const MAX_NAMES = 5;

/**
 * Joins names to a list. The short report has only the first names of a long list, and their number. The JSON report and the text
 * report with `-v` have all of them.
 *
 * @param sizeOf the number of things that a name stands for; a name stands for one thing if this function is left out
 */
export function firstNames(
  names: readonly string[],
  verbosity: Verbosity,
  sizeOf: (name: string) => number = () => 1,
): string {
  // A count in place of a single name would not make the list shorter.
  if (verbosity > 0 || names.length <= MAX_NAMES + 1) return names.join(', ');
  const more = names.slice(MAX_NAMES).reduce((sum, name) => sum + sizeOf(name), 0);
  return `${names.slice(0, MAX_NAMES).join(', ')} and ${more} more`;
}
