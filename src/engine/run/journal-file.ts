import { closeSync, constants, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../folder/make-folder.ts';
import type { JournalEvent } from '../../journal/event.ts';
import { cleanEvent } from '../../journal/secrets/clean-event.ts';

/** The journal of one run, open for writing. */
export interface JournalFile {
  readonly path: string;
  /**
   * Writes an event. When this function returns, the event is at the operating system, so it is not lost if the process is killed.
   *
   * @throws UnwritableJournal if the operating system does not accept the event
   */
  append(event: JournalEvent): void;
  /**
   * Writes an event together with the next event, because one write takes less time than two. Waits for the next event at most
   * until the end of this turn of the event loop. If the process is killed before that, the event is lost.
   *
   * @throws UnwritableJournal if the operating system has not accepted an earlier event
   */
  appendSoon(event: JournalEvent): void;
  /** Writes the events that still wait. @throws UnwritableJournal if the operating system does not accept them */
  flush(): void;
  /**
   * Writes whole lines that are no events, as a load test does (journal/load/lines.ts): as text, or as bytes in UTF-8. Unlike
   * `append`, this function removes no secrets: the caller has already removed them from the few texts that may contain secrets.
   *
   * @throws UnwritableJournal if the operating system does not accept the lines
   */
  appendLines(lines: string | Uint8Array): void;
  /**
   * Closes the file. If somebody removed the file while it was open, restores it.
   *
   * @returns true if the file was removed and is now restored
   * @throws UnwritableJournal if the file cannot be restored
   */
  close(): boolean;
}

/**
 * Thrown if the operating system rejects a write to the journal, for example because the disk is full. Its message contains the
 * message of the operating system.
 */
export class UnwritableJournal extends Error {
  override readonly name = 'UnwritableJournal';
  readonly path: string;

  constructor(path: string, cause: Error) {
    super(cause.message, { cause });
    this.path = path;
  }
}

/**
 * Creates a journal that only its owner can read. Creates its folder if it is missing. Overwrites an older file.
 *
 * @param scrub removes the secrets from a text
 * @throws Error of the operating system if the file cannot be created or written
 */
export function createJournalFile(file: string, scrub: (text: string) => string): JournalFile {
  makeFolder(path.dirname(file), 0o700);
  return appending(file, openSync(file, CREATE, 0o600), scrub);
}

/** Every line is written to the end of the file, because several workers may write to one journal. */
const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

/**
 * Opens the journal of another thread that is still writing it, to append further lines.
 *
 * @throws Error of the operating system if the file cannot be written
 */
export function joinJournalFile(file: string, scrub: (text: string) => string): JournalFile {
  return appending(file, openSync(file, constants.O_RDWR | constants.O_APPEND), scrub);
}

/**
 * Opens a journal to append events to it. Removes the last line if it is incomplete, because the process was killed while it wrote
 * this line.
 *
 * @param scrub removes the secrets from a text
 * @throws Error of the operating system if the file cannot be written
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
  return appending(file, openSync(file, 'a+'), scrub);
}

const PIECE = 65_536;

/**
 * Finds the last line of a file. `at` is its position. `isWhole` is true if the line is a complete event that lacks only its line
 * end.
 */
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

/** Maximum number of characters of a reply's body in the journal. A normal reply has some hundred characters. */
const MAX_BODY = 8192;

/** Cuts a long body of a reply. Otherwise a journal with thousands of such bodies would be too large. */
function withShortBody(event: JournalEvent): JournalEvent {
  if (event.event !== 'received' || event.outcome.kind !== 'reply') return event;
  const { reply } = event.outcome;
  if (reply.body.data.length <= MAX_BODY) return event;
  // Base64 has groups of 4 characters. The maximum length is a multiple of 4, so no group is cut.
  const data = reply.body.data.slice(0, MAX_BODY);
  return {
    ...event,
    outcome: { ...event.outcome, reply: { ...reply, body: { ...reply.body, data, truncated: true } } },
  };
}

/** Number of bytes of a UTF-8 text for one unit of UTF-16, at most. */
const BYTES_OF_UNIT = 3;

function appending(file: string, descriptor: number, scrub: (text: string) => string): JournalFile {
  let open = true;
  // The lines that are written together with the next line.
  let waiting = '';
  let isPlanned = false;
  let failure: { readonly error: unknown } | undefined;
  // Nearly every line fits into this buffer. A new buffer for each line takes longer than to write the text into it.
  const usual = Buffer.allocUnsafeSlow(PIECE);
  const bytesOf = (text: string): Uint8Array =>
    text.length * BYTES_OF_UNIT > PIECE ? Buffer.from(text) : usual.subarray(0, usual.write(text));
  // When a run fails, some calls may still be in flight. Their events may come after the file was closed, and must not be
  // written: the system may already use the same descriptor for another file.
  const checkOpen = (): void => {
    if (!open) throw new Error(`the journal ${file} is closed`);
    if (failure) throw failure.error;
  };
  const write = (lines: string | Uint8Array): void => {
    const bytes = typeof lines === 'string' ? bytesOf(lines) : lines;
    try {
      // If the disk is almost full, the system may write only a part of the line. Then the next write either continues or throws
      // the reason.
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    } catch (error) {
      throw error instanceof Error ? new UnwritableJournal(file, error) : error;
    }
  };
  const lineOf = (event: JournalEvent): string => `${JSON.stringify(withShortBody(cleanEvent(event, scrub)))}\n`;
  const flush = (): void => {
    checkOpen();
    if (waiting === '') return;
    const lines = waiting;
    waiting = '';
    write(lines);
  };
  const flushInTurn = (): void => {
    isPlanned = false;
    try {
      if (open) flush();
    } catch (error) {
      // Nobody could catch the error here, so the next call throws it.
      failure ??= { error };
    }
  };
  return {
    path: file,
    append: (event) => {
      waiting += lineOf(event);
      flush();
    },
    appendSoon: (event) => {
      checkOpen();
      waiting += lineOf(event);
      if (isPlanned) return;
      isPlanned = true;
      setImmediate(flushInTurn);
    },
    flush,
    appendLines: (lines) => {
      flush();
      write(lines);
    },
    close: () => {
      if (!open) return false;
      try {
        flush();
        if (existsSync(file)) return false;
        writeAgain(file, descriptor);
        return true;
      } catch (error) {
        throw error instanceof Error && !(error instanceof UnwritableJournal)
          ? new UnwritableJournal(file, error)
          : error;
      } finally {
        open = false;
        closeSync(descriptor);
      }
    },
  };
}

/**
 * Restores a file that somebody removed while croupier had it open. The system keeps the content of the file until croupier closes
 * it, so the content can still be copied.
 */
function writeAgain(file: string, descriptor: number): void {
  makeFolder(path.dirname(file), 0o700);
  const again = openSync(file, 'wx', 0o600);
  try {
    const piece = Buffer.alloc(PIECE);
    for (let at = 0; ; ) {
      const length = readSync(descriptor, piece, 0, PIECE, at);
      if (length === 0) return;
      for (let written = 0; written < length; ) written += writeSync(again, piece, written, length - written);
      at += length;
    }
  } finally {
    closeSync(again);
  }
}
