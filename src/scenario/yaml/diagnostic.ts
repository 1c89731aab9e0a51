import type { Place } from '../../journal/finding.ts';
import { lineText, placeAt, type Range } from './source.ts';

/** One mistake in a file, for its author. Lines and columns count from 1. */
export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** One past the last wrong column, in the same line. */
  readonly endColumn: number;
  readonly sourceLine: string;
  readonly message: string;
  /** The way to correct it. */
  readonly fix?: string;
  /** For a mistake in a fragment or in the value of a case: the place of its use. */
  readonly usedFrom?: Place;
}

/** Creates a diagnostic for a range. If the range covers several lines, the first one is shown. */
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

/** For sorting: by file, line, column, message. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column || (a.message < b.message ? -1 : 1);
}

const MAX_LINE_WIDTH = 120;

/**
 * Formats a diagnostic as compilers do: place and message, the source line with the mistake marked, help. The text has several
 * lines, without a final line break. Characters that could confuse a terminal are replaced.
 */
export function renderDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, endColumn, sourceLine, message, fix, usedFrom } = diagnostic;
  const start = Math.max(0, Math.min(column - 1 - MAX_LINE_WIDTH / 2, sourceLine.length - MAX_LINE_WIDTH));
  const shown = sourceLine.slice(start, start + MAX_LINE_WIDTH);
  const before = shown.slice(0, column - 1 - start);
  const marked = shown.slice(column - 1 - start, endColumn - 1 - start);
  const gutter = ' '.repeat(String(line).length);
  // This counts characters, not columns: every command loads this file, and string-width takes a third of the time of --help.
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

/** Control characters (terminal escapes among them) and marks that turn the direction of text are shown as U+FFFD. */
function replaceControls(text: string): string {
  return text.replace(/(?!\t)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
