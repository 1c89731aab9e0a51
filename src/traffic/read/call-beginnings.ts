/** Maximum number of lines whose shape is kept. A log has few kinds of lines, and the first lines show them. */
const MAX_LINES = 200;
/** Maximum length of the part of a line that is compared. */
const MAX_LENGTH = 400;

/**
 * Knows how the lines with calls begin in a file. If the end of the last line is missing, its rest may be too short to show a call.
 * But it may be like the beginning of the lines with calls.
 */
export class CallBeginnings {
  readonly #shapes = new Set<string>();
  #learned = 0;

  /** Keeps the shape of a line with a call, or with a part of it. */
  learn(line: string): void {
    if (this.#learned >= MAX_LINES) return;
    this.#learned += 1;
    this.#shapes.add(shapeOf(line));
  }

  /** True if a line may be the beginning of a line with a call. */
  isLike(line: string): boolean {
    const shape = shapeOf(line);
    return shape !== '' && [...this.#shapes].some((known) => known.startsWith(shape));
  }
}

/** Replaces each number, time, id and method, which differ from line to line. */
function shapeOf(line: string): string {
  return line
    .slice(0, MAX_LENGTH)
    .trimEnd()
    .replaceAll(/[\dA-Za-z]+/g, (word) => (/\d/.test(word) ? '9' : word))
    .replaceAll(/\b(?:GET|POST)\b/g, 'POST');
}
