import type { Place } from '../../journal/finding.ts';

/** The text of a file, with the offset at which each line begins. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
}

/** A range in the text of a file, as offsets in UTF-16 units. `end` is the offset after the last character. */
export interface Range {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  /** The place that uses this text, for a text in a fragment or in the value of a case variable. Absent for other texts. */
  readonly usedFrom?: Place;
}

export function toSource(file: string, text: string): Source {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { file, text, lineStarts };
}

/** Returns the line and the column of an offset. Both are counted from 1. */
export function placeAt(source: Source, offset: number): Place {
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((source.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { file: source.file, line: low + 1, column: offset - (source.lineStarts[low] ?? 0) + 1 };
}

/** Returns the range from an offset to the end of its line. Used as the range of a value of several lines. */
export function firstLine(source: Source, start: number): Range {
  const end = source.text.indexOf('\n', start);
  return { source, start, end: end === -1 ? source.text.length : end };
}

/** Returns the place at which a range begins. */
export function placeOf(range: Range): Place {
  return placeAt(range.source, range.start);
}

/** Returns the text of a line without its line break. Lines are counted from 1. */
export function lineText(source: Source, line: number): string {
  const start = source.lineStarts[line - 1] ?? 0;
  const end = source.lineStarts[line] ?? source.text.length + 1;
  return source.text.slice(start, end - 1).replace(/\r$/, '');
}
