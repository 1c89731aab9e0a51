import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import type { z } from 'zod';

/** Records that outlive the process: one line of JSON each. */
export interface RecordFile<R> {
  /** Has handed the record to the system when it returns: a killed process leaves it. */
  readonly append: (record: R) => void;
  readonly close: () => void;
}

export interface OpenedRecords<R> {
  readonly records: readonly R[];
  readonly file: RecordFile<R>;
}

/**
 * Opens the records of a file, which only its owner can read, in a folder that is there. What a kill has torn off the last
 * line is left out. `compact` says which records are still needed; the file is written anew with these alone.
 *
 * @param path undefined: nothing is kept beyond the process
 * @throws Error when a whole line is no such record, with its number, or what the system says
 */
export function openRecords<R>(
  path: string | undefined,
  schema: z.ZodType<R>,
  compact: (records: readonly R[]) => readonly R[] = (records) => records,
): OpenedRecords<R> {
  if (path === undefined) return { records: [], file: { append: () => {}, close: () => {} } };
  const records = compact(readRecords(path, schema));
  // A kill in the middle of this leaves the old file.
  const fresh = `${path}.new`;
  writeFileSync(fresh, records.map(lineOf).join(''), { mode: 0o600 });
  renameSync(fresh, path);
  const descriptor = openSync(path, 'a', 0o600);
  let open = true;
  return {
    records,
    file: {
      append: (record) => {
        const line = Buffer.from(lineOf(record));
        for (let at = 0; at < line.length; ) at += writeSync(descriptor, line, at);
      },
      close: () => {
        if (open) closeSync(descriptor);
        open = false;
      },
    },
  };
}

function lineOf(record: unknown): string {
  return `${JSON.stringify(record)}\n`;
}

function readRecords<R>(path: string, schema: z.ZodType<R>): readonly R[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  // What follows the last line end is empty, or was torn off.
  return lines.slice(0, -1).map((line, index) => {
    const result = schema.safeParse(parse(line));
    if (result.success) return result.data;
    throw new Error(
      `${path}, line ${index + 1} is not a record of this version. Give another folder, or move this file away.`,
    );
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
