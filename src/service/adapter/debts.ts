import { Semaphore } from 'async-mutex';
import type { Outcome } from '../../journal/exchange.ts';
import type { Sleep } from '../sleep.ts';
import { troubleOf } from './answer.ts';
import { type Backoff, waitMs } from './backoff.ts';
import type { Debt, RoundRecord, RoundSession } from './round-record.ts';

/** A win or refund that the operator has not answered with 200 yet. */
export interface Owed extends RoundSession {
  /** The call's `txID`, the same at every attempt. */
  readonly id: string;
  readonly call: 'win' | 'refund';
  readonly roundID: string;
  readonly amount: string;
  /** The number of failed attempts. */
  readonly attempts: number;
  /** Milliseconds since 1970; null while it is being sent. */
  readonly nextTryAt: number | null;
  /** Why the last attempt failed; null before one has failed, and after a restart. */
  readonly trouble: string | null;
}

export interface DebtsOptions {
  /** Sends the call. Never rejects. */
  readonly send: (record: RoundRecord, debt: Debt) => Promise<Outcome>;
  /**
   * Stores the outcome.
   *
   * @returns how many attempts have failed, null when nothing is owed any more
   * @throws anything when it can't be stored; the call is then sent again
   */
  readonly conclude: (roundID: string, txID: string, outcome: Outcome) => number | null;
  /** Resolves once the debt is on the disk, so that it may be sent. */
  readonly flush: () => Promise<void>;
  readonly clock: () => number;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly backoff: Backoff;
  /** The maximum number of retries that are under way at the same moment. */
  readonly maxRetriesAtOnce: number;
  /** Called with the error when an answer could not be stored. */
  readonly onFault: (error: unknown) => void;
}

/** A debt that is being sent, or waits for its next attempt. */
interface OpenDebt {
  readonly record: RoundRecord;
  readonly debt: Debt;
  attempts: number;
  nextTryAt: number | null;
  trouble: string | null;
  /** Ends the wait before the next attempt. */
  wake: AbortController;
}

/** Sends what is owed until it is answered 200, with growing waits in between. */
export class Debts {
  readonly #options: DebtsOptions;
  readonly #retries: Semaphore;
  /** By `txID`. */
  readonly #open = new Map<string, OpenDebt>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: DebtsOptions) {
    this.#options = options;
    this.#retries = new Semaphore(options.maxRetriesAtOnce);
  }

  /**
   * Sends a debt that was stored just now, and again until it is answered 200.
   *
   * @returns the outcome of the first attempt; null when `stop` came before it
   */
  add(record: RoundRecord, debt: Debt): Promise<Outcome | null> {
    const first = Promise.withResolvers<Outcome | null>();
    this.#start(record, debt, async (open) => {
      await this.#options.flush();
      first.resolve(await this.#try(open));
    });
    return first.promise;
  }

  /** Sends a debt from before a restart, within the limit of retries: many at once would be a burst that no operator expects. */
  resume(record: RoundRecord, debt: Debt): void {
    this.#start(record, debt, (open) => this.#retries.runExclusive(() => this.#try(open)));
  }

  /** The debts that are not settled, oldest first. */
  owed(): readonly Owed[] {
    return [...this.#open.values()].map(({ record, debt, attempts, nextTryAt, trouble }) => ({
      id: debt.body.txID,
      call: debt.call,
      amount: debt.body.amount,
      roundID: record.round.roundID,
      gsID: record.gsID,
      extCID: record.extCID,
      sessionID: record.sessionID,
      player: record.player,
      currency: record.currency,
      gameID: record.gameID,
      attempts,
      nextTryAt,
      trouble,
    }));
  }

  /** Sends a debt again at once. @returns false when nothing with this `txID` is owed, or it is being sent */
  retryNow(txID: string): boolean {
    const open = this.#open.get(txID);
    if (open === undefined || open.nextTryAt === null) return false;
    open.wake.abort();
    return true;
  }

  /** Sends nothing more. Resolves once every call that is under way has its outcome. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { wake } of this.#open.values()) wake.abort();
    await Promise.all(this.#running);
  }

  #start(record: RoundRecord, debt: Debt, begin: (open: OpenDebt) => Promise<unknown>): void {
    const { txID } = debt.body;
    const open: OpenDebt = {
      record,
      debt,
      attempts: record.failed[txID] ?? 0,
      nextTryAt: null,
      trouble: null,
      wake: new AbortController(),
    };
    this.#open.set(txID, open);
    const running = this.#settle(open, begin).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #settle(open: OpenDebt, begin: (open: OpenDebt) => Promise<unknown>): Promise<void> {
    const { sleep, clock, random, backoff } = this.#options;
    await begin(open);
    while (!this.#stopped && this.#open.has(open.debt.body.txID)) {
      const ms = waitMs(backoff, Math.max(1, open.attempts), random);
      open.wake = new AbortController();
      open.nextTryAt = clock() + ms;
      await sleep(ms, open.wake.signal);
      if (this.#stopped) return;
      await this.#retries.runExclusive(() => this.#try(open));
    }
  }

  async #try(open: OpenDebt): Promise<Outcome | null> {
    if (this.#stopped) return null;
    const { record, debt } = open;
    const { txID } = debt.body;
    open.nextTryAt = null;
    const outcome = await this.#options.send(record, debt);
    try {
      const failed = this.#options.conclude(record.round.roundID, txID, outcome);
      if (failed === null) this.#open.delete(txID);
      else open.attempts = failed;
      open.trouble = troubleOf(outcome);
    } catch (error) {
      // The call was answered, but that can't be stored. Sent again, it is answered the same.
      open.attempts += 1;
      open.trouble = 'the answer could not be stored';
      this.#options.onFault(error);
    }
    return outcome;
  }
}
