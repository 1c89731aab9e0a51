import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { JournalEvent } from '../journal/event.ts';
import { makeFolder } from './folder.ts';

/** The journal of one run, while it is written. */
export interface JournalFile {
  readonly path: string;
  /** Has handed the event to the system when it returns: a killed run leaves it. */
  append(event: JournalEvent): void;
  close(): void;
}

/**
 * Creates a journal that only its owner can read, and its folder when it is missing; an older file is overwritten.
 *
 * @param scrub takes the secrets out of a text
 * @throws what the system says when it can't be created or written
 */
export function createJournalFile(file: string, scrub: (text: string) => string): JournalFile {
  makeFolder(path.dirname(file), 0o700);
  const descriptor = openSync(file, 'w', 0o600);
  let open = true;
  return {
    path: file,
    append: (event) => {
      const line = Buffer.from(`${scrub(JSON.stringify(event))}\n`);
      // A disk that is nearly full takes a part; the rest fails with the reason, or fits by then.
      for (let at = 0; at < line.length; ) at += writeSync(descriptor, line, at);
    },
    close: () => {
      if (open) closeSync(descriptor);
      open = false;
    },
  };
}
