import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { createJournalFile, type JournalFile } from '../engine/journal-file.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { whyUnreadable } from './configuration.ts';
import { UsageError } from './usage-error.ts';

/**
 * Creates the journal of what is about to be done.
 *
 * @param given undefined: a file of its own in .croupier/ of the working directory
 * @throws UsageError when it can't be created; nothing was sent then
 */
export function openJournal(given: string | undefined, cwd: string, scrub: (text: string) => string): JournalFile {
  const file = path.resolve(cwd, given ?? path.join('.croupier', journalName(new Date())));
  const refuse = (why: string, cause?: unknown) =>
    new UsageError(
      `The journal can't be written: ${file}${why}. Nothing was sent.\nName another place with --journal FILE.`,
      { cause },
    );
  try {
    if (isForgetful(file)) throw refuse(' is no file that can be read again');
    return createJournalFile(file, scrub);
  } catch (error) {
    throw error instanceof UsageError ? error : refuse(`: ${whyUnreadable(error)}`, error);
  }
}

/** A device or a pipe forgets what it was told, and every report is made from what the journal says. */
function isForgetful(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === false;
}

/** Sorts by time, and is unique when several runs begin in one second. */
function journalName(now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  return `${stamp}-${randomBytes(3).toString('hex')}.ndjson`;
}

/** What a reader should know of how the operator was reached. */
export function notices({ wire, integratorBaseUrl }: ClientUnderTest): readonly string[] {
  const all: string[] = [];
  if (wire.insecureTls) {
    all.push('INSECURE TLS: the certificate of the operator was not checked; anybody in between could have answered.');
  }
  if (wire.hostOverride !== undefined)
    all.push(`Connected to ${wire.hostOverride} in place of the host of ${integratorBaseUrl}.`);
  return all;
}
