import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { Book } from './book.ts';
import { lockFolder } from './folder-lock.ts';
import { LEDGER_HEADER, type LedgerEntry, ledgerHeaderSchema, ledgerLineSchema } from './ledger-entry.ts';
import { LedgerError } from './ledger-error.ts';
import type { RoundRecord } from './round-record.ts';

/** Where the adapter writes down what happens, before anybody else learns of it. */
export interface Ledger {
  /** What the ledger adds up to. */
  readonly book: Book;
  /**
   * Writes entries down, all or none, and takes them into the book. The system has them when it returns, so that they outlive the
   * process.
   *
   * @returns the round that the last entry is about, as it is now
   * @throws what the system says when it can't be written; then nothing happened
   */
  append(...entries: readonly LedgerEntry[]): RoundRecord | undefined;
  /** Resolves once everything that was appended before is on the disk, so that it outlives the machine too. */
  secured(): Promise<void>;
  close(): Promise<void>;
}

/** A ledger that is gone with the process. */
export function memoryLedger(): Ledger {
  const book = new Book();
  return {
    book,
    append: (...entries) => takeIn(book, entries),
    secured: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

export interface LedgerOptions {
  /** Finished rounds are thrown out of the file when it has this many bytes, and has grown to four times what is needed. 4 MiB. */
  readonly compactBytes?: number;
}

const COMPACT_BYTES = 4 * 1024 * 1024;
const GROWTH = 4;

/**
 * Opens the ledger of a folder, which is made when it is missing. It is first written anew, without the rounds that are
 * finished; a last line that a kill has torn is left out, for what it announces was never sent.
 *
 * @throws LedgerError when another service uses the folder, or the ledger is damaged
 */
export function openLedger(folder: string, options: LedgerOptions = {}): Ledger {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(folder);
  try {
    return new LedgerFile(path.join(folder, 'ledger.ndjson'), options.compactBytes ?? COMPACT_BYTES, () =>
      lock.release(),
    );
  } catch (error) {
    lock.release();
    throw error;
  }
}

class LedgerFile implements Ledger {
  readonly book: Book;
  readonly #file: string;
  readonly #compactBytes: number;
  readonly #release: () => void;
  #descriptor: number;
  #bytes = 0;
  /** The size of the file when it was last written anew. */
  #neededBytes = 0;
  #syncing: Promise<void> | null = null;
  /** For whoever appended while a sync was under way, which may have missed it. */
  #nextSync: Promise<void> | null = null;
  #closed = false;

  constructor(file: string, compactBytes: number, release: () => void) {
    this.#file = file;
    this.#compactBytes = compactBytes;
    this.#release = release;
    this.book = readBook(file);
    this.#descriptor = this.#rewrite();
  }

  append(...entries: readonly LedgerEntry[]): RoundRecord | undefined {
    if (this.#closed) throw new LedgerError('the ledger is closed');
    const line = lineOf(entries);
    try {
      writeWhole(this.#descriptor, line, this.#bytes);
    } catch (error) {
      // A torn line in the middle would make the whole ledger unreadable.
      ftruncateSync(this.#descriptor, this.#bytes);
      throw error;
    }
    this.#bytes += line.length;
    const record = takeIn(this.book, entries);
    // A file whose sync is under way must not be closed.
    if (this.#syncing === null) this.#compactWhenLarge();
    return record;
  }

  secured(): Promise<void> {
    if (this.#syncing === null) {
      this.#syncing = this.#sync();
      return this.#syncing;
    }
    this.#nextSync ??= this.#syncing.then(
      () => this.#startNext(),
      () => this.#startNext(),
    );
    return this.#nextSync;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await (this.#nextSync ?? this.#syncing ?? Promise.resolve()).catch(() => {});
    closeSync(this.#descriptor);
    this.#release();
  }

  #startNext(): Promise<void> {
    this.#nextSync = null;
    if (!this.#closed) this.#compactWhenLarge();
    this.#syncing = this.#sync();
    return this.#syncing;
  }

  #sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => {
        if (this.#nextSync === null) this.#syncing = null;
        if (error) reject(error);
        else resolve();
      });
    });
  }

  #compactWhenLarge(): void {
    if (this.#bytes <= Math.max(this.#compactBytes, this.#neededBytes * GROWTH)) return;
    const old = this.#descriptor;
    try {
      this.#descriptor = this.#rewrite();
    } catch {
      // A disk that is full must not lose what the old file holds; it goes on growing until it is tried again.
      this.#neededBytes = this.#bytes;
      return;
    }
    closeSync(old);
  }

  /** Puts a new file in the place of the old one, in one step. @returns its descriptor */
  #rewrite(): number {
    const fresh = `${this.#file}.new`;
    const descriptor = openSync(fresh, 'w', 0o600);
    try {
      let bytes = writeWhole(descriptor, Buffer.from(`${JSON.stringify(LEDGER_HEADER)}\n`), 0);
      for (const entry of this.book.snapshot()) bytes += writeWhole(descriptor, lineOf([entry]), bytes);
      fdatasyncSync(descriptor);
      renameSync(fresh, this.#file);
      syncFolder(path.dirname(this.#file));
      this.#bytes = bytes;
      this.#neededBytes = bytes;
      return descriptor;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }
}

/** So that a renamed file has its new name after a power cut. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function takeIn(book: Book, entries: readonly LedgerEntry[]): RoundRecord | undefined {
  let record: RoundRecord | undefined;
  for (const entry of entries) record = book.apply(entry);
  return record;
}

function lineOf(entries: readonly LedgerEntry[]): Buffer {
  return Buffer.from(`${JSON.stringify(entries)}\n`);
}

/** A disk that is nearly full takes a part at a time. */
function writeWhole(descriptor: number, bytes: Buffer, position: number): number {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, position + at);
  return bytes.length;
}

/** @throws LedgerError that names the line which is no entry, or can't follow the ones before */
function readBook(file: string): Book {
  const book = new Book();
  if (!existsSync(file)) return book;
  const lines = readFileSync(file, 'utf8').split('\n');
  // What stands after the last line end was torn off by a kill.
  for (const [index, text] of lines.slice(0, -1).entries()) {
    try {
      const json: unknown = JSON.parse(text);
      if (index === 0) ledgerHeaderSchema.parse(json);
      else for (const entry of ledgerLineSchema.parse(json)) book.apply(entry);
    } catch (error) {
      throw new LedgerError(
        `${file}:${index + 1}: this is not what a ledger of this version holds. Nothing was sent, and the file is as it was. ` +
          'Restore it from a copy, or move it away; what it says is owed will then not be sent.',
        { cause: error },
      );
    }
  }
  return book;
}
