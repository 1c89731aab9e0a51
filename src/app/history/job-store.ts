import { setTimeout as sleep } from 'node:timers/promises';
import type { History } from '../../history/history.ts';
import { LeaseLost } from '../../history/lease-lost.ts';
import { DatabaseError } from '../../sqlite/database.ts';
import { UsageError } from '../exit-status.ts';
import { whyUnreadable } from '../files.ts';

/** Time between two attempts while the database can't be used, in ms. */
const RETRY_MS = 500;

/** A database that several workers share. For some time, it may be impossible to reach it. */
export class JobStore {
  readonly #open: () => Promise<History>;
  readonly #say: (text: string) => void;
  #history: Promise<History> | undefined;
  /** True after croupier has printed that the database can't be used, until croupier prints that it can be used again. */
  #isAway = false;
  /** Number of pieces of work that have failed and are being repeated. */
  #failing = 0;

  /**
   * @param open opens the database
   * @param say prints a line when the database can't be used, and when it can be used again
   */
  constructor(open: () => Promise<History>, say: (text: string) => void) {
    this.#open = open;
    this.#say = say;
  }

  /**
   * Opens the database. Only prints a message if the database can't be used now, because it may be used later.
   *
   * @param isNeededNow true for a command that a person has just started, and that can do nothing without the database
   * @throws UsageError for a mistake that stays, such as a file that is no database, or if the database is needed now
   */
  async start(isNeededNow = false): Promise<void> {
    try {
      await this.once(async () => {});
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      if (isNeededNow || error.reason === 'newer' || error.reason === 'unusable') throw unusable(error);
      this.#note(error);
    }
  }

  /**
   * Does some work once.
   *
   * @throws the error of the database
   */
  async once<T>(work: (history: History) => Promise<T>): Promise<T> {
    this.#history ??= this.#open();
    const own = this.#history;
    try {
      return await work(await own);
    } catch (error) {
      // A connection that has failed once may stay unusable. So the next attempt uses a new connection.
      if (!(error instanceof LeaseLost) && this.#history === own) {
        this.#history = undefined;
        own.then((history) => history.destroy()).catch(() => {});
      }
      throw error;
    }
  }

  /**
   * Does some work in the database. Repeats the work as long as the database can't be used. So the work must have the same result
   * if it is done twice.
   *
   * @param signal if it is aborted, the work is not repeated any more
   * @throws LeaseLost if the worker has lost its work
   * @throws UsageError if a newer version of croupier has changed the tables
   * @throws the error of the database if the signal is aborted
   */
  async untilDone<T>(work: (history: History) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let isFailing = false;
    try {
      for (;;) {
        try {
          const result = await this.once(work);
          // While other work still fails, for example because the disk is full, only a part of the database can be used. Then
          // nothing is printed.
          if (this.#failing === (isFailing ? 1 : 0)) this.#noteReturn();
          return result;
        } catch (error) {
          if (isNewer(error)) throw unusable(error);
          if (error instanceof LeaseLost || signal?.aborted === true) throw error;
          if (!isFailing) this.#failing += 1;
          isFailing = true;
          this.#note(error);
          await sleep(RETRY_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
        }
      }
    } finally {
      if (isFailing) this.#failing -= 1;
    }
  }

  async close(): Promise<void> {
    await this.#history?.then((history) => history.destroy()).catch(() => {});
  }

  #note(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#say(
      `The database can't be used: ${whyUnreadable(error).replace(/\.$/, '')}. Trying again until it can be used.`,
    );
  }

  #noteReturn(): void {
    if (this.#isAway) this.#say('The database can be used again.');
    this.#isAway = false;
  }
}

function isNewer(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.reason === 'newer';
}

function unusable(error: DatabaseError): UsageError {
  return new UsageError(`The database can't be used. ${error.message}`, { cause: error });
}
