import path from 'node:path';
import type { Place } from '../journal/finding.ts';
import { readBytes } from './package-files.ts';

/**
 * Gives lines of scenario files for reports; each file is read once.
 *
 * @param roots folders that the files' paths may be relative to, the likeliest first
 */
export function sourceLines(roots: readonly string[]): (place: Place) => string | null {
  const files = new Map<string, readonly string[] | null>();
  return ({ file, line }) => {
    let lines = files.get(file);
    if (lines === undefined) {
      lines = read(file, roots);
      files.set(file, lines);
    }
    return lines?.[line - 1] ?? null;
  };
}

function read(file: string, roots: readonly string[]): readonly string[] | null {
  for (const root of roots) {
    try {
      return new TextDecoder().decode(readBytes(path.resolve(root, file))).split(/\r?\n/);
    } catch {
      // The file may have been moved since; a report then goes without the line.
    }
  }
  return null;
}
