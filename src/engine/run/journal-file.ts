import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { JournalEvent } from '../../journal/event.ts';
import { makeFolder } from './make-folder.ts';

/** The journal of one run, open for writing. */
export interface JournalFile {
  readonly path: string;
  /**
   * Writes an event. When this function returns, the system has the event, so a killed process does not lose it.
   *
   * @throws UnwritableJournal if the system does not accept it
   */
  append(event: JournalEvent): void;
  close(): void;
}

/** The system does not accept more of a journal, for example because the disk is full. The message is the system's. */
export class UnwritableJournal extends Error {
  override readonly name = 'UnwritableJournal';
  readonly path: string;

  constructor(path: string, cause: Error) {
    super(cause.message, { cause });
    this.path = path;
  }
}

/**
 * Creates a journal that only its owner can read, and its folder if it is missing. Overwrites an older file.
 *
 * @param scrub removes the secrets from a text
 * @throws the system's error if the file cannot be created or written
 */
export function createJournalFile(file: string, scrub: (text: string) => string): JournalFile {
  makeFolder(path.dirname(file), 0o700);
  return appending(file, openSync(file, 'w', 0o600), scrub);
}

/**
 * Opens a journal to append to it. Removes a last line that a kill has cut off; readers skip it anyway.
 *
 * @param scrub removes the secrets from a text
 * @throws the system's error if the file cannot be written
 */
export function reopenJournalFile(file: string, scrub: (text: string) => string): JournalFile {
  const descriptor = openSync(file, 'r+');
  try {
    const { size } = fstatSync(descriptor);
    const { at, isWhole } = lastLine(descriptor, size);
    if (isWhole && at < size) writeSync(descriptor, '\n', size);
    else ftruncateSync(descriptor, at);
  } finally {
    closeSync(descriptor);
  }
  return appending(file, openSync(file, 'a'), scrub);
}

const PIECE = 65_536;

/** The start of the text after the last line end, and whether it is a whole event without its line end. */
function lastLine(descriptor: number, size: number): { readonly at: number; readonly isWhole: boolean } {
  let tail = Buffer.alloc(0);
  for (let from = size; from > 0; ) {
    const start = Math.max(0, from - PIECE);
    const piece = Buffer.alloc(from - start);
    readSync(descriptor, piece, 0, piece.length, start);
    tail = Buffer.concat([piece, tail]);
    const end = tail.lastIndexOf(0x0a);
    if (end >= 0) return { at: start + end + 1, isWhole: isJson(tail.subarray(end + 1).toString()) };
    from = start;
  }
  return { at: 0, isWhole: isJson(tail.toString()) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function appending(file: string, descriptor: number, scrub: (text: string) => string): JournalFile {
  let open = true;
  return {
    path: file,
    append: (event) => {
      const line = Buffer.from(`${scrub(JSON.stringify(event))}\n`);
      // Calls that are still in flight when a run fails must not write into another file that has the same descriptor now.
      if (!open) throw new Error(`the journal ${file} is closed`);
      try {
        // An almost full disk may accept a part of the line. The next write fails with the reason, or succeeds.
        for (let at = 0; at < line.length; ) at += writeSync(descriptor, line, at);
      } catch (error) {
        throw error instanceof Error ? new UnwritableJournal(file, error) : error;
      }
    },
    close: () => {
      if (open) closeSync(descriptor);
      open = false;
    },
  };
}
