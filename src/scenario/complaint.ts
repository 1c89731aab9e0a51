import type { Place } from '../journal/finding.ts';
import { lineText, placeAt, type Spot } from './source.ts';

/** One mistake in a scenario file, for the person who wrote it. Lines and columns count from 1. */
export interface Complaint {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** One past the last column of what is wrong, in the same line. */
  readonly endColumn: number;
  readonly sourceLine: string;
  readonly message: string;
  /** What to do about it. */
  readonly mend?: string;
  /** For a mistake in a fragment or in a case's value: where it is used. */
  readonly usedFrom?: Place;
}

/** A complaint about a stretch of a source; of a stretch over several lines, the first is shown. */
export function complaintAt(spot: Spot, message: string, mend?: string): Complaint {
  const { line, column } = placeAt(spot.source, spot.start);
  const sourceLine = lineText(spot.source, line);
  const width = Math.max(1, Math.min(spot.end - spot.start, sourceLine.length - column + 1));
  return {
    file: spot.source.file,
    line,
    column,
    endColumn: column + width,
    sourceLine,
    message,
    ...(mend !== undefined && { mend }),
    ...(spot.usedFrom && { usedFrom: spot.usedFrom }),
  };
}

/** For sorting: by file, line, column, message. */
export function byPlace(a: Complaint, b: Complaint): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column || (a.message < b.message ? -1 : 1);
}

const WIDEST_LINE = 120;

/**
 * The complaint as people know it from compilers: place and message, the source line with the mistake marked, help.
 * Several lines without a final line break; what could confuse a terminal is replaced.
 */
export function renderComplaint(complaint: Complaint): string {
  const { file, line, column, endColumn, sourceLine, message, mend, usedFrom } = complaint;
  const start = Math.max(0, Math.min(column - 1 - WIDEST_LINE / 2, sourceLine.length - WIDEST_LINE));
  const shown = sourceLine.slice(start, start + WIDEST_LINE);
  const before = shown.slice(0, column - 1 - start);
  const marked = shown.slice(column - 1 - start, endColumn - 1 - start);
  const gutter = ' '.repeat(String(line).length);
  const indent = before.replace(/[^\t]/gu, ' ');
  const lines = [
    `${file}:${line}:${column}: ${message}`,
    `${gutter} |`,
    `${line} | ${shown}`,
    `${gutter} | ${indent}${marked.replace(/./gu, '^') || '^'}`,
  ];
  if (usedFrom) lines.push(`${gutter} = used from ${usedFrom.file}:${usedFrom.line}`);
  if (mend !== undefined) lines.push(`${gutter} = help: ${mend}`);
  return lines.map(harmless).join('\n');
}

/** Control characters (terminal escapes among them) and marks that turn the direction of text are shown as U+FFFD. */
function harmless(text: string): string {
  return text.replace(/(?!\t)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
