/**
 * Breaks text into lines of at most `width` characters, at blanks where there are any. It counts code points: text in wide
 * scripts may stand out a little.
 */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (length(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = chop(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}

/** A label in front, its text beside it, and further lines aligned below that text. */
export function hanging(label: string, text: string, width: number): readonly string[] {
  const margin = ' '.repeat(length(label));
  const room = Math.max(width - length(label), 20);
  return wrap(text, room).map((line, index) => (index === 0 ? label : margin) + line);
}

/**
 * Pieces set one after another in lines of at most `width` characters. Each piece gives its plain text, which is measured,
 * and what is printed for it.
 */
export function flow(
  pieces: readonly { readonly plain: string; readonly shown: string }[],
  gap: string,
  width: number,
): readonly string[] {
  const lines: string[] = [];
  let shown = '';
  let used = 0;
  for (const piece of pieces) {
    const needed = length(piece.plain);
    if (used > 0 && used + gap.length + needed > width) {
      lines.push(shown);
      shown = '';
      used = 0;
    }
    shown += (used === 0 ? '' : gap) + piece.shown;
    used += (used === 0 ? 0 : gap.length) + needed;
  }
  if (used > 0) lines.push(shown);
  return lines;
}

/** The beginning of a text that is too long, with a mark that says how much there was. */
export function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}

/** Milliseconds as a person says them: `0.4 ms`, `12 ms`, `6.4 s`, `2 min 3 s`. */
export function duration(ms: number): string {
  if (ms < 9.95) return `${(Math.round(ms * 10) / 10).toString()} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A sentence as it begins. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function length(text: string): number {
  return Array.from(text).length;
}

/** Pieces of one long word, cut behind a separator of JSON or of an address where one stands near the end of the line. */
function chop(word: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let rest = Array.from(word);
  while (rest.length > width) {
    const separator = rest.slice(0, width).findLastIndex((character) => ',;&?'.includes(character));
    const end = separator > width / 3 ? separator + 1 : width;
    pieces.push(rest.slice(0, end).join(''));
    rest = rest.slice(end);
  }
  return [...pieces, rest.join('')];
}
