import type { Outcome } from '../../journal/exchange.ts';
import { troubleOf } from './answer.ts';
import { type Backoff, waitMs } from './backoff.ts';
import { Places } from './places.ts';
import type { Debt, RoundRecord, RoundSession } from './round-record.ts';
import type { Sleep } from './sleep.ts';

/** A win or refund that the operator has not answered with 200 yet. */
export interface Owed extends RoundSession {
  /** The call's `txID`, the same at every try. */
  readonly id: string;
  readonly call: 'win' | 'refund';
  readonly roundID: string;
  readonly amount: string;
  /** How many tries have failed. */
  readonly attempts: number;
  /** Milliseconds since 1970; null while it is being sent. */
  readonly nextTryAt: number | null;
  /** Why the last try failed; null before one has, and after a restart. */
  readonly trouble: string | null;
}

export interface DebtsOptions {
  /** Sends the call. Never rejects. */
  readonly send: (record: RoundRecord, debt: Debt) => Promise<Outcome>;
  /** Records what came of it. @returns how many tries have failed, null when nothing is owed any more. May throw: it is then tried again. */
  readonly conclude: (roundID: string, txID: string, outcome: Outcome) => number | null;
  /** Resolves once what was recorded is safe, so that a debt may be told of. */
  readonly secured: () => Promise<void>;
  readonly clock: () => number;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly backoff: Backoff;
  /** How many retries may be under way at the same moment. */
  readonly retriesAtOnce: number;
  /** Hears of what kept an answer from being recorded. */
  readonly onFault: (error: unknown) => void;
}

interface Pursuit {
  readonly record: RoundRecord;
  readonly debt: Debt;
  attempts: number;
  nextTryAt: number | null;
  trouble: string | null;
  /** Ends the wait before the next try. */
  wake: AbortController;
}

/** Sends what is owed until it is answered 200, with growing waits in between. */
export class Debts {
  readonly #options: DebtsOptions;
  readonly #retries: Places;
  readonly #pursuits = new Map<string, Pursuit>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: DebtsOptions) {
    this.#options = options;
    this.#retries = new Places(options.retriesAtOnce);
  }

  /**
   * Takes on a debt that was recorded just now, and sends it at once.
   *
   * @returns what came of the first try; null when there was none, as nothing leaves any more
   */
  take(record: RoundRecord, debt: Debt): Promise<Outcome | null> {
    const first = Promise.withResolvers<Outcome | null>();
    this.#pursue(record, debt, async (pursuit) => {
      await this.#options.secured();
      first.resolve(await this.#try(pursuit));
    });
    return first.promise;
  }

  /** Takes on a debt from before a restart. Many at once would be a burst that no operator expects. */
  resume(record: RoundRecord, debt: Debt): void {
    this.#pursue(record, debt, (pursuit) => this.#retries.with(() => this.#try(pursuit)));
  }

  /** What is owed, oldest first. */
  owed(): readonly Owed[] {
    return [...this.#pursuits.values()].map(({ record, debt, attempts, nextTryAt, trouble }) => ({
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

  /** Tries one again without further waiting. @returns false when nothing with this `txID` is owed, or it is being sent */
  retryNow(txID: string): boolean {
    const pursuit = this.#pursuits.get(txID);
    if (pursuit === undefined || pursuit.nextTryAt === null) return false;
    pursuit.wake.abort();
    return true;
  }

  /** Lets nothing more leave; resolves once every call that is under way has landed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { wake } of this.#pursuits.values()) wake.abort();
    await Promise.all(this.#running);
  }

  #pursue(record: RoundRecord, debt: Debt, begin: (pursuit: Pursuit) => Promise<unknown>): void {
    const { txID } = debt.body;
    const pursuit: Pursuit = {
      record,
      debt,
      attempts: record.failed[txID] ?? 0,
      nextTryAt: null,
      trouble: null,
      wake: new AbortController(),
    };
    this.#pursuits.set(txID, pursuit);
    const running = this.#settle(pursuit, begin).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #settle(pursuit: Pursuit, begin: (pursuit: Pursuit) => Promise<unknown>): Promise<void> {
    const { sleep, clock, random, backoff } = this.#options;
    await begin(pursuit);
    while (!this.#stopped && this.#pursuits.has(pursuit.debt.body.txID)) {
      const ms = waitMs(backoff, Math.max(1, pursuit.attempts), random);
      pursuit.wake = new AbortController();
      pursuit.nextTryAt = clock() + ms;
      await sleep(ms, pursuit.wake.signal);
      if (this.#stopped) return;
      await this.#retries.with(() => this.#try(pursuit));
    }
  }

  async #try(pursuit: Pursuit): Promise<Outcome | null> {
    if (this.#stopped) return null;
    const { record, debt } = pursuit;
    const { txID } = debt.body;
    pursuit.nextTryAt = null;
    const outcome = await this.#options.send(record, debt);
    try {
      const failed = this.#options.conclude(record.round.roundID, txID, outcome);
      if (failed === null) this.#pursuits.delete(txID);
      else pursuit.attempts = failed;
      pursuit.trouble = troubleOf(outcome);
    } catch (error) {
      // It was answered, but that can't be written down: sent again, it is answered the same.
      pursuit.attempts += 1;
      pursuit.trouble = 'the answer could not be recorded';
      this.#options.onFault(error);
    }
    return outcome;
  }
}
