import { Semaphore } from 'async-mutex';
import type { Outcome } from '../../journal/exchange.ts';
import type { Sleep } from '../sleep.ts';
import { troubleOf } from './answer.ts';
import { type Backoff, waitMs } from './backoff.ts';
import type { Debt, RoundRecord, RoundSession } from './round-record.ts';

/** A win or refund that the operator has not answered with 200 yet. */
export interface Owed extends RoundSession {
  /** The `txID` of the call. It is the same at every attempt. */
  readonly id: string;
  readonly call: 'win' | 'refund';
  readonly roundID: string;
  readonly amount: string;
  /** The number of failed attempts. */
  readonly attempts: number;
  /** The time of the next attempt, in milliseconds since 1970; null while the call is being sent. */
  readonly nextTryAt: number | null;
  /** The reason why the last attempt failed; null if no attempt has failed since the service was started. */
  readonly trouble: string | null;
}

export interface DebtsOptions {
  /** Sends the call and returns its outcome. Never rejects. */
  readonly send: (record: RoundRecord, debt: Debt) => Promise<Outcome>;
  /**
   * Stores the outcome of an attempt.
   *
   * @returns the number of failed attempts; null when the call is settled
   * @throws any error when the outcome can't be stored; then the call is sent again
   */
  readonly conclude: (roundID: string, txID: string, outcome: Outcome) => number | null;
  /** Resolves when the win or refund is written to the disk. Only then may it be sent. */
  readonly flush: () => Promise<void>;
  readonly clock: () => number;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly backoff: Backoff;
  /** The maximum number of retries that are sent at the same time. */
  readonly maxRetriesAtOnce: number;
  /** Is called with the error when the outcome of an attempt could not be stored. */
  readonly onFault: (error: unknown) => void;
}

/** A win or refund that is being sent, or is waiting for its next attempt. */
interface OpenDebt {
  readonly record: RoundRecord;
  readonly debt: Debt;
  attempts: number;
  nextTryAt: number | null;
  trouble: string | null;
  /** If this controller is aborted, the wait before the next attempt ends. */
  wake: AbortController;
}

/**
 * The debts of the service: wins and refunds that it sends until the operator answers 200. The wait before the next attempt grows
 * with each failed attempt.
 */
export class Debts {
  readonly #options: DebtsOptions;
  readonly #retries: Semaphore;
  /** The wins and refunds that are not settled yet, by `txID`. */
  readonly #open = new Map<string, OpenDebt>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: DebtsOptions) {
    this.#options = options;
    this.#retries = new Semaphore(options.maxRetriesAtOnce);
  }

  /**
   * Sends a win or refund that has just been stored, and retries until the operator answers 200.
   *
   * @returns the outcome of the first attempt; null when `stop` was called before it
   */
  add(record: RoundRecord, debt: Debt): Promise<Outcome | null> {
    const first = Promise.withResolvers<Outcome | null>();
    this.#start(record, debt, async (open) => {
      await this.#options.flush();
      first.resolve(await this.#try(open));
    });
    return first.promise;
  }

  /**
   * Sends a win or refund that was stored before a restart. The first attempt counts as a retry, because many calls at once
   * after a restart could overload the operator.
   */
  resume(record: RoundRecord, debt: Debt): void {
    this.#start(record, debt, (open) => this.#retries.runExclusive(() => this.#try(open)));
  }

  /** Returns the wins and refunds that are not settled yet, oldest first. */
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

  /**
   * Sends a win or refund again at once, although the time of the next attempt has not come.
   *
   * @returns false when the call with this `txID` is settled or unknown, or is being sent at the moment
   */
  retryNow(txID: string): boolean {
    const open = this.#open.get(txID);
    if (open === undefined || open.nextTryAt === null) return false;
    open.wake.abort();
    return true;
  }

  /** Sends nothing more. Resolves when all calls that are being sent have an outcome. */
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
      // The operator has answered, but the answer can't be stored. So the call is sent again. The operator must then give the same
      // answer again.
      open.attempts += 1;
      open.trouble = 'the operator has answered, but the answer could not be stored';
      this.#options.onFault(error);
    }
    return outcome;
  }
}
