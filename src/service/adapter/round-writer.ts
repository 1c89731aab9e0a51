import type { RoundEvent } from '../../contract/round.ts';
import type { Outcome } from '../../journal/exchange.ts';
import type { Sleep } from '../sleep.ts';
import { eventOf } from './answer.ts';
import { type Backoff, waitMs } from './backoff.ts';
import type { RoundRecord } from './round-record.ts';
import type { RoundStore } from './round-store.ts';

export interface RoundWriterOptions {
  readonly store: RoundStore;
  readonly sleep: Sleep;
  readonly random: () => number;
  /** The waits between attempts to write into the store. */
  readonly backoff: Backoff;
  /** Aborted when the adapter is closed. Then no new round begins. */
  readonly closing: AbortSignal;
  readonly onRound: (record: RoundRecord) => void;
  readonly onFault: (error: unknown) => void;
}

/** Writes rounds into the store for the adapter, and retries if the store can't be written at the moment. */
export class RoundWriter {
  readonly #options: RoundWriterOptions;
  #closed = false;

  constructor(options: RoundWriterOptions) {
    this.#options = options;
  }

  get store(): RoundStore {
    return this.#options.store;
  }

  get isClosing(): boolean {
    return this.#options.closing.aborted;
  }

  /** Stores a round with its first bet, like `RoundStore.begin`, and reports the round to `onRound`. */
  begin(opened: RoundRecord, bet: RoundEvent): RoundRecord {
    return this.#reported(this.store.begin(opened, bet));
  }

  /** Stores an event of a round, like `RoundStore.advance`, and reports the round to `onRound`. */
  advance(roundID: string, event: RoundEvent, over = false): RoundRecord {
    return this.#reported(this.store.advance(roundID, event, over));
  }

  /**
   * Stores the outcome of a call.
   *
   * @returns null when nothing is stored, because the service is being closed. Then the outcome of the call is unknown at the
   * next start
   * @throws what `advance` throws
   */
  conclude(roundID: string, txID: string, outcome: Outcome): RoundRecord | null {
    if (this.#closed || (outcome.kind === 'none' && outcome.reason === 'aborted')) return null;
    return this.advance(roundID, eventOf(txID, outcome));
  }

  /**
   * Runs an action that writes into the store, and repeats it until it succeeds.
   *
   * @returns null when the adapter is closed before the action succeeds
   */
  async retry<T>(action: () => T): Promise<T | null> {
    const { sleep, random, backoff, closing, onFault } = this.#options;
    for (let failed = 1; ; failed += 1) {
      try {
        return action();
      } catch (error) {
        onFault(error);
        if (closing.aborted) return null;
        await sleep(waitMs(backoff, failed, random), closing);
      }
    }
  }

  /**
   * Waits until all changes are written to the disk. An error does not stop the rounds: the changes are stored, and are lost only
   * if the machine loses power.
   */
  async flush(): Promise<void> {
    await this.store.flush().catch(this.#options.onFault);
  }

  close(): void {
    this.#closed = true;
  }

  #reported(record: RoundRecord): RoundRecord {
    this.#options.onRound(record);
    return record;
  }
}
