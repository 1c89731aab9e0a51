import { randomBytes } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { createJournalFile, type JournalFile } from '../engine/run/journal-file.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import type { JournalEvent, RunStarted } from '../journal/event.ts';
import { eventProblem } from '../journal/event-schema.ts';
import { JournalError, readJournal } from '../journal/read.ts';
import { UsageError } from './exit-status.ts';
import { whyUnreadable } from './files.ts';

/**
 * Creates the journal of a run before its first call.
 *
 * @param given undefined: a new file in .croupier/ of the working directory
 * @throws UsageError when it can't be created; nothing was sent then
 */
export function openJournal(given: string | undefined, cwd: string, scrub: (text: string) => string): JournalFile {
  const file = path.resolve(cwd, given ?? path.join('.croupier', journalName(new Date())));
  const refuse = (why: string, cause?: unknown) =>
    new UsageError(
      `The journal can't be written: ${file}: ${why}. Nothing was sent.\nName another file with --journal FILE.`,
      { cause },
    );
  try {
    if (isDevice(file)) throw refuse('it is not a regular file, so reports could not read it again');
    return createJournalFile(file, scrub);
  } catch (error) {
    throw error instanceof UsageError ? error : refuse(whyUnreadable(error), error);
  }
}

/** A device or a pipe cannot be read again, and every report is made from the journal. */
function isDevice(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === false;
}

/** Names sort by time, and are unique when several runs begin in one second. */
function journalName(now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  return `${stamp}-${randomBytes(3).toString('hex')}.ndjson`;
}

/** The notices of a journal about the connection to the operator. */
export function notices({ wire, integratorBaseUrl }: ClientUnderTest): readonly string[] {
  const all: string[] = [];
  if (wire.insecureTls) {
    all.push('INSECURE TLS: the certificate of the operator was not checked; anybody in between could have answered.');
  }
  if (wire.hostOverride !== undefined)
    all.push(`Connected to ${wire.hostOverride} in place of the host of ${integratorBaseUrl}.`);
  return all;
}

/**
 * The checked events of a journal that the user named. An incomplete last line is left out.
 *
 * @param shown the file's name in messages
 * @throws UsageError when it can't be read, or is not a journal that this croupier reads
 */
export async function* journalEvents(file: string, shown: string): AsyncGenerator<JournalEvent> {
  try {
    yield* readJournal(createReadStream(file, 'utf8'), eventProblem);
  } catch (error) {
    if (error instanceof JournalError) throw new UsageError(`${shown}: ${error.message}`, { cause: error });
    if (error instanceof Error && 'syscall' in error) {
      throw new UsageError(`The journal can't be read: ${shown}: ${whyUnreadable(error)}.`, { cause: error });
    }
    throw error;
  }
}

/** The identity of this process in a journal. */
export function thisProcess(): NonNullable<RunStarted['process']> {
  return { pid: process.pid, host: hostname() };
}

/** The process that is still writing a journal; undefined: it has ended, or runs on another machine. */
export function runningWriter({ process: writer }: RunStarted): number | undefined {
  if (!writer || writer.host !== hostname() || writer.pid === process.pid) return undefined;
  return isAlive(writer.pid) && isCroupier(writer.pid) ? writer.pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user exists too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Process ids are reused. If the system does not show the command line, the process counts as croupier. */
function isCroupier(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('croupier');
  } catch {
    return true;
  }
}
