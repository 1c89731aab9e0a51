import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { JobStore } from '../app/history/job-store.ts';
import { addToJournal, type HeldJob, type JobJournal, JobLost, renewLease } from '../history/jobs.ts';

const NEW_LINE = 0x0a;

/** The position in a journal up to which the database has it. */
interface Stored {
  /** Number of bytes. */
  readonly bytes: number;
  /** Number of parts. */
  readonly parts: number;
}

/** Copies the lines of a journal to the database while a run or a settlement writes the journal. */
export class JournalStream {
  readonly #store: JobStore;
  readonly #job: HeldJob;
  readonly #journal: JobJournal;
  readonly #file: string;
  readonly #leaseMs: number;
  #handle: FileHandle | undefined;
  #bytes: number;
  #parts: number;
  /** The copy in progress. All later copies wait for it. */
  #copying: Promise<unknown> = Promise.resolve();

  /** @param file the path of the journal, which may not exist yet */
  constructor(
    { store, job, leaseMs }: { readonly store: JobStore; readonly job: HeldJob; readonly leaseMs: number },
    journal: JobJournal,
    file: string,
    { bytes, parts }: Stored = { bytes: 0, parts: 0 },
  ) {
    this.#store = store;
    this.#job = job;
    this.#leaseMs = leaseMs;
    this.#journal = journal;
    this.#file = file;
    this.#bytes = bytes;
    this.#parts = parts;
  }

  /**
   * Copies all whole lines that the file has now, and renews the lease. A file that does not exist has no lines.
   *
   * @param signal if it is aborted, the copy is not repeated any more
   * @returns the time for which the lease is held from now on, in ms
   * @throws JobLost if the worker has lost the job
   */
  copy(signal: AbortSignal): Promise<number> {
    const copied = this.#copying.then(() => this.#copyNow(signal));
    // After a failed copy, the database may or may not have the part. So all later copies fail too.
    this.#copying = copied;
    copied.catch(() => {});
    return copied;
  }

  async #copyNow(signal: AbortSignal): Promise<number> {
    const content = await this.#newLines();
    const journal = {
      journal: this.#journal.id,
      part: this.#parts,
      content: content.toString(),
      leaseMs: this.#leaseMs,
    };
    const asked = await this.#store.untilDone(async (history) => {
      const now = performance.now();
      if (content.length > 0) await addToJournal(history, this.#job, journal);
      else if (!(await renewLease(history, this.#job, this.#leaseMs))) throw new JobLost(this.#job);
      return now;
    }, signal);
    this.#bytes += content.length;
    if (content.length > 0) this.#parts += 1;
    return this.#leaseMs - (performance.now() - asked);
  }

  /** Reads the whole lines that are not copied yet. */
  async #newLines(): Promise<Buffer> {
    if (!this.#handle && !existsSync(this.#file)) return Buffer.alloc(0);
    this.#handle ??= await open(this.#file, 'r');
    const { size } = await this.#handle.stat();
    const bytes = Buffer.alloc(Math.max(0, size - this.#bytes));
    const { bytesRead } = await this.#handle.read(bytes, 0, bytes.length, this.#bytes);
    return bytes.subarray(0, bytes.lastIndexOf(NEW_LINE, bytesRead) + 1);
  }

  async close(): Promise<void> {
    await this.#copying.catch(() => {});
    await this.#handle?.close();
  }
}
