import type { Outcome } from '../../journal/exchange.ts';
import { eventOf } from './answer.ts';
import { type Backoff, waitMs } from './backoff.ts';
import type { Book } from './book.ts';
import type { Ledger } from './ledger.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import type { RoundRecord } from './round-record.ts';
import type { Sleep } from './sleep.ts';

export interface RecordingOptions {
  readonly ledger: Ledger;
  readonly sleep: Sleep;
  readonly random: () => number;
  /** Between tries to write. */
  readonly backoff: Backoff;
  /** Aborted when nothing new is to begin any more. */
  readonly closing: AbortSignal;
  readonly onRound: (record: RoundRecord) => void;
  readonly onFault: (error: unknown) => void;
}

/** Writes into the ledger for the adapter, also when that is not possible at once. */
export class Recording {
  readonly #options: RecordingOptions;
  #closed = false;

  constructor(options: RecordingOptions) {
    this.#options = options;
  }

  get book(): Book {
    return this.#options.ledger.book;
  }

  get isClosing(): boolean {
    return this.#options.closing.aborted;
  }

  /**
   * Writes down what happens, or has happened, in a round.
   *
   * @returns the round as it is now
   * @throws what the system says when it can't be written; then it has not happened
   */
  record(...entries: readonly LedgerEntry[]): RoundRecord {
    const record = this.#options.ledger.append(...entries);
    if (record === undefined) throw new Error('what was recorded happened in no round');
    this.#options.onRound(record);
    return record;
  }

  /**
   * Writes down what came of a call.
   *
   * @returns null when it has to stay unknown: it was torn off by the end, or the ledger is closed
   * @throws what `record` throws
   */
  conclude(roundID: string, txID: string, outcome: Outcome): RoundRecord | null {
    if (this.#closed || (outcome.kind === 'none' && outcome.reason === 'aborted')) return null;
    return this.record({ kind: 'event', roundID, event: eventOf(txID, outcome) });
  }

  /** Does what needs the ledger, again and again while it can't be written. @returns null when all is closed before */
  async insist<T>(act: () => T): Promise<T | null> {
    const { sleep, random, backoff, closing, onFault } = this.#options;
    for (let failed = 1; ; failed += 1) {
      try {
        return act();
      } catch (error) {
        onFault(error);
        if (closing.aborted) return null;
        await sleep(waitMs(backoff, failed, random), closing);
      }
    }
  }

  /** A disk that can't promise to keep what it was given still keeps it from a kill of the process: play goes on. */
  async secured(): Promise<void> {
    await this.#options.ledger.secured().catch(this.#options.onFault);
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#options.ledger.close();
  }
}
