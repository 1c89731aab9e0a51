import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { createJournalFile, type JournalFile, reopenJournalFile } from '../engine/run/journal-file.ts';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { makeFolder } from '../folder/make-folder.ts';
import type { JournalEvent, RunStarted } from '../journal/event.ts';
import { eventProblem } from '../journal/event-schema.ts';
import { JournalError, readJournal } from '../journal/read.ts';
import { UsageError } from './exit-status.ts';
import { whyUnreadable } from './files.ts';
import { refuseInputFile } from './input-files.ts';
import { holderText } from './lock/holder.ts';
import { lockedBy, lockJournal } from './lock/journal-writer.ts';

/**
 * Creates the journal of a run before its first call.
 *
 * @param given the path from `--journal`; undefined for a new file in .croupier/ of the working directory
 * @param command the command that writes the journal, such as `run`
 * @throws UsageError when the file can't be created, before any call is sent
 */
export function openJournal(
  given: string | undefined,
  command: string,
  { cwd, scrub }: { readonly cwd: string; readonly scrub: (text: string) => string },
): JournalFile {
  const file = path.resolve(cwd, given ?? path.join('.croupier', journalName(new Date())));
  const refuse = (why: string, cause?: unknown) =>
    new UsageError(
      `The journal can't be written: ${file}: ${why}. Nothing was sent.\nName another file with --journal FILE.`,
      { cause },
    );
  try {
    refuseInputFile(file, undefined, `--journal ${given}`);
    if (isDevice(file)) throw refuse('it is not a regular file, so reports could not read it again');
    const writer = writerOf(file);
    if (writer !== undefined) throw refuse(`${writer} is still writing it`);
    makeFolder(path.dirname(file), 0o700);
    return locked(file, command, () => createJournalFile(file, scrub));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw refuse(error instanceof JournalInUse ? error.message : whyUnreadable(error), error);
  }
}

/**
 * Opens the journal of an earlier run to append events to it.
 *
 * @param command the command that writes the journal, such as `settle`
 * @throws JournalInUse if another process writes the journal
 * @throws Error of the operating system if the file cannot be written
 */
export function reopenJournal(file: string, command: string, scrub: (text: string) => string): JournalFile {
  return locked(file, command, () => reopenJournalFile(file, scrub));
}

/** Thrown if another process writes a journal. The message names this process. */
export class JournalInUse extends Error {
  override readonly name = 'JournalInUse';
}

/** Opens a journal that has a lock until it is closed. */
function locked(file: string, command: string, open: () => JournalFile): JournalFile {
  const lock = lockJournal(file, command);
  if (!('release' in lock)) throw new JournalInUse(`${holderText(lock)} is still writing it`);
  try {
    const journal = open();
    return {
      ...journal,
      close: () => {
        try {
          return journal.close();
        } finally {
          lock.release();
        }
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** True for a device or a pipe. Such a file can't be a journal, because reports read the journal again after the run. */
function isDevice(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === false;
}

/** Returns the process that is still writing a file as its journal, in words; undefined if no process writes the file. */
function writerOf(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const descriptor = openSync(file, 'r');
  try {
    const begin = Buffer.alloc(MAX_FIRST_LINE);
    const [line = ''] = begin.toString('utf8', 0, readSync(descriptor, begin, 0, MAX_FIRST_LINE, 0)).split('\n', 1);
    const event: unknown = JSON.parse(line);
    return eventProblem(event) === null && (event as JournalEvent).event === 'run-started'
      ? runningWriter(file, event as RunStarted)
      : undefined;
  } catch {
    // A file that is not a journal has no running writer.
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Maximum length of the first event of a journal, in bytes. The event names all scenarios of the run. */
const MAX_FIRST_LINE = 1024 * 1024;

/**
 * Returns a file name with the date and time, so that names sort by time. A random part makes the names of runs that start in
 * the same second different.
 */
export function journalName(now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  return `${stamp}-${randomBytes(3).toString('hex')}.ndjson`;
}

/** True for a file name that croupier itself has chosen for a journal. */
export function isOwnJournalName(name: string): boolean {
  return /^\d{4}-\d\d-\d\d-\d{6}-[0-9a-f]{6}\.ndjson$/.test(name);
}

/** Returns the remarks about the connection to the operator. They are written to the journal. */
export function notices({ wire, integratorBaseUrl }: ClientUnderTest): readonly string[] {
  const all: string[] = [];
  if (wire.insecureTls) {
    all.push(
      'INSECURE TLS: the certificate of the operator was not checked, so another host could have sent the replies.',
    );
  }
  if (wire.hostOverride !== undefined)
    all.push(`Connected to ${wire.hostOverride} in place of the host of ${integratorBaseUrl}.`);
  return all;
}

/** Number of bytes that are read at once from a journal. */
const PIECE = 65_536;

/**
 * Reads a file in pieces. All pieces have the same memory, because a stream needs a new buffer for each piece, and V8 keeps hundreds
 * of them before it collects them. So a piece is valid only until the next piece is read.
 *
 * @throws Error of the operating system if the file cannot be read
 */
export async function* bytesOfFile(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file);
  try {
    const buffer = Buffer.allocUnsafeSlow(PIECE);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/**
 * Reads a text file in pieces.
 *
 * @throws Error of the operating system if the file cannot be read
 */
export async function* textOfFile(file: string): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  for await (const bytes of bytesOfFile(file)) yield decoder.write(bytes);
  yield decoder.end();
}

/**
 * Reads and checks the events of a journal that the user named. Leaves out an incomplete last line.
 *
 * @param shown the file's name in messages
 * @throws UsageError when the file can't be read, or is not a journal of a supported version
 */
export async function* journalEvents(file: string, shown: string): AsyncGenerator<JournalEvent> {
  try {
    yield* readJournal(textOfFile(file), eventProblem);
  } catch (error) {
    if (error instanceof JournalError) throw new UsageError(`${shown}: ${error.message}`, { cause: error });
    if (error instanceof Error && 'syscall' in error) {
      throw new UsageError(`The journal can't be read: ${shown}: ${whyUnreadable(error)}.`, { cause: error });
    }
    throw error;
  }
}

/** Returns the process id and the host that this process records in a journal. */
export function thisProcess(): NonNullable<RunStarted['process']> {
  return { pid: process.pid, host: hostname() };
}

/**
 * Returns the process that is still writing a journal, in words. Undefined if that process has ended, or if this process itself
 * writes the journal.
 */
export function runningWriter(file: string, { process: writer }: RunStarted): string | undefined {
  const holder = lockedBy(file);
  if (holder !== undefined) return holder === 'ended' ? undefined : holderText(holder);
  // An older version of croupier did not lock its journal. Its process can be recognised only on the same machine.
  if (!writer || writer.host !== hostname() || writer.pid === process.pid) return undefined;
  return isAlive(writer.pid) && isCroupier(writer.pid) ? `croupier (process ${writer.pid})` : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * True if a process is croupier. After croupier has ended, the system may give its process id to another program. If the
 * command line of the process can't be read, the process counts as croupier.
 */
function isCroupier(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('croupier');
  } catch {
    return true;
  }
}
