import type { Place } from '../../journal/finding.ts';
import { lineText, placeAt, type Range } from './source.ts';

/** Maximum number of mistakes that are reported in one file. */
export const MAX_DIAGNOSTICS = 200;

/** One mistake in a file, described for the author of the file. Lines and columns are counted from 1. */
export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The column after the last wrong character, in the same line. */
  readonly endColumn: number;
  readonly sourceLine: string;
  readonly message: string;
  /** The way to correct the mistake. */
  readonly fix?: string;
  /** The place that uses the fragment or the case value with the mistake. Absent for other mistakes. */
  readonly usedFrom?: Place;
}

/** Creates a diagnostic for a range. If the range covers several lines, the diagnostic shows the first one. */
export function diagnosticAt(range: Range, message: string, fix?: string): Diagnostic {
  const { line, column } = placeAt(range.source, range.start);
  const sourceLine = lineText(range.source, line);
  const width = Math.max(1, Math.min(range.end - range.start, sourceLine.length - column + 1));
  return {
    file: range.source.file,
    line,
    column,
    endColumn: column + width,
    sourceLine,
    message,
    ...(fix !== undefined && { fix }),
    ...(range.usedFrom && { usedFrom: range.usedFrom }),
  };
}

/** Compares two diagnostics for sorting: by file, line, column and message. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column || (a.message < b.message ? -1 : 1);
}

const MAX_LINE_WIDTH = 120;

/**
 * Formats a diagnostic as compilers do: the place, the message, the source line with the mistake marked, and the help text.
 * Returns several lines without a final line break. Replaces characters that could confuse a terminal.
 */
export function renderDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, endColumn, sourceLine, message, fix, usedFrom } = diagnostic;
  const start = Math.max(0, Math.min(column - 1 - MAX_LINE_WIDTH / 2, sourceLine.length - MAX_LINE_WIDTH));
  const shown = sourceLine.slice(start, start + MAX_LINE_WIDTH);
  const before = shown.slice(0, column - 1 - start);
  const marked = shown.slice(column - 1 - start, endColumn - 1 - start);
  const gutter = ' '.repeat(String(line).length);
  // The width is counted in characters, not in columns of the terminal. The package string-width would be exact. But every command
  // loads this file, and loading the package would take a third of the time that `--help` takes now.
  const indent = before.replace(/[^\t]/gu, ' ');
  const lines = [
    `${file}:${line}:${column}: ${message}`,
    `${gutter} |`,
    `${line} | ${shown}`,
    `${gutter} | ${indent}${marked.replace(/./gu, '^') || '^'}`,
  ];
  if (usedFrom) lines.push(`${gutter} = used from ${usedFrom.file}:${usedFrom.line}`);
  if (fix !== undefined) lines.push(`${gutter} = help: ${fix}`);
  return lines.map(replaceControls).join('\n');
}

/**
 * Puts U+FFFD in place of each control character (also in terminal escapes), and of each mark that changes the direction of text.
 */
function replaceControls(text: string): string {
  return text.replace(/(?!\t)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
