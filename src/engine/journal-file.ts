import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { JournalEvent } from '../journal/event.ts';
import { makeFolder } from './folder.ts';

/** The journal of one run, while it is written. */
export interface JournalFile {
  readonly path: string;
  /**
   * Has handed the event to the system when it returns: a killed run leaves it.
   *
   * @throws UnwritableJournal where the system does not take it
   */
  append(event: JournalEvent): void;
  close(): void;
}

/** The system takes no more of a journal, as where the disk is full; its message is the system's. */
export class UnwritableJournal extends Error {
  override readonly name = 'UnwritableJournal';
  readonly path: string;

  constructor(path: string, cause: Error) {
    super(cause.message, { cause });
    this.path = path;
  }
}

/**
 * Creates a journal that only its owner can read, and its folder when it is missing; an older file is overwritten.
 *
 * @param scrub takes the secrets out of a text
 * @throws what the system says when it can't be created or written
 */
export function createJournalFile(file: string, scrub: (text: string) => string): JournalFile {
  makeFolder(path.dirname(file), 0o700);
  return appending(file, openSync(file, 'w', 0o600), scrub);
}

/**
 * Goes on with a journal. What a kill has torn off its last line is taken away, as every reader leaves it out anyway.
 *
 * @param scrub takes the secrets out of a text
 * @throws what the system says when it can't be written
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

/** Where the text after the last line end begins, and whether it is an event that only lacks its line end. */
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
      // What is still under way when a run fails must not get into a file that has the descriptor by now.
      if (!open) throw new Error(`the journal ${file} is closed`);
      try {
        // A disk that is nearly full takes a part; the rest fails with the reason, or fits by then.
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
