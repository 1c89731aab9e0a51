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
  /** Between attempts to write. */
  readonly backoff: Backoff;
  /** Aborted when nothing new is to begin any more. */
  readonly closing: AbortSignal;
  readonly onRound: (record: RoundRecord) => void;
  readonly onFault: (error: unknown) => void;
}

/** Writes into the store for the adapter, also when that is not possible at once. */
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

  /** Stores a round with its first bet, as `RoundStore.begin` does, and reports the round. */
  begin(opened: RoundRecord, bet: RoundEvent): RoundRecord {
    return this.#reported(this.store.begin(opened, bet));
  }

  /** Stores an event of a round, as `RoundStore.advance` does, and reports the round. */
  advance(roundID: string, event: RoundEvent, over = false): RoundRecord {
    return this.#reported(this.store.advance(roundID, event, over));
  }

  /**
   * Stores the outcome of a call.
   *
   * @returns null when it has to stay unknown: the end of the service broke the connection, or the adapter is closed
   * @throws what `advance` throws
   */
  conclude(roundID: string, txID: string, outcome: Outcome): RoundRecord | null {
    if (this.#closed || (outcome.kind === 'none' && outcome.reason === 'aborted')) return null;
    return this.advance(roundID, eventOf(txID, outcome));
  }

  /** Retries what needs the store while the store can't be written. @returns null when the adapter is closed first */
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

  /** When the disk can't confirm a write, the data still outlives the process, so the rounds go on. */
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
