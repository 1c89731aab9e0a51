import type { Place } from '../../journal/finding.ts';

/** The text of a file, with the offsets of its lines. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
}

/** A range of a source: offsets in UTF-16 units, without the end. */
export interface Range {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  /** The place of use, if it differs from the place of the text: for a fragment or a case variable. */
  readonly usedFrom?: Place;
}

export function toSource(file: string, text: string): Source {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { file, text, lineStarts };
}

/** Line and column of an offset, both from 1. */
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

/** The range from an offset to the end of its line, which is shown for a value of several lines. */
export function firstLine(source: Source, start: number): Range {
  const end = source.text.indexOf('\n', start);
  return { source, start, end: end === -1 ? source.text.length : end };
}

/** The beginning of a range. */
export function placeOf(range: Range): Place {
  return placeAt(range.source, range.start);
}

/** The text of a line, counted from 1, without its line break. */
export function lineText(source: Source, line: number): string {
  const start = source.lineStarts[line - 1] ?? 0;
  const end = source.lineStarts[line] ?? source.text.length + 1;
  return source.text.slice(start, end - 1).replace(/\r$/, '');
}
