import { Mutex } from 'async-mutex';
import { Money } from '../../contract/money.ts';
import { type OwedCall, outstandingCalls, type RoundEvent, startRound } from '../../contract/round.ts';
import { CONTRACT_VERSION, type ContractVersion } from '../../contract/versions.ts';
import type { Outcome } from '../../journal/exchange.ts';
import type { Sleep } from '../sleep.ts';
import { readAnswer } from './answer.ts';
import { type Backoff, DEFAULT_BACKOFF } from './backoff.ts';
import { Debts, type Owed } from './debts.ts';
import type { Faults } from './faults.ts';
import { Payouts } from './payouts.ts';
import type { BalanceResult, BetResult, RefusalReason, RoundResult, WinResult } from './results.ts';
import { fieldsOf, type Send } from './reverse-calls.ts';
import {
  betsInDoubt,
  callOf,
  debtsOf,
  type FreeTerms,
  kindOf,
  type RoundRecord,
  type RoundSession,
} from './round-record.ts';
import type { FreeTally, RoundStore, TallyKey } from './round-store.ts';
import { RoundWriter } from './round-writer.ts';

export interface AdapterOptions {
  readonly store: RoundStore;
  readonly send: Send;
  /** Returns a new version 4 UUID. */
  readonly uuid: () => string;
  /** Returns the milliseconds since 1970. */
  readonly clock: () => number;
  readonly sleep: Sleep;
  /** Returns a random number from 0 (included) to 1 (excluded). */
  readonly random: () => number;
  readonly backoff?: Backoff;
  /** The maximum number of retries that are sent at the same time. The default is 64. */
  readonly maxRetriesAtOnce?: number;
  /** The version of the contract. Before version 1.5.0, refunds contain no `roundID`. */
  readonly contract?: ContractVersion;
  readonly faults?: Faults;
  /** Is called with a round after each event of the round. */
  readonly onRound?: (record: RoundRecord) => void;
  /** Is called with the error when data could not be stored. The adapter then tries to store the data again. */
  readonly onFault?: (error: unknown) => void;
}

/** The properties of a round that are fixed before its first bet. */
export interface RoundTerms {
  /**
   * The win in the main unit. The win is sent as soon as the bet is accepted, even after a restart. If this is left out, the
   * caller sends the win with the method `win`.
   */
  readonly win?: string;
  /** The campaign of a free round. Left out for other rounds. */
  readonly free?: FreeTerms;
}

const MAX_RETRIES_AT_ONCE = 64;
const FIRST_WAIT = 1;

/** The outcome that is stored for a bet with the fault `refund-first`, whose refund is sent before the bet on purpose. */
const GIVEN_UP: Outcome = { kind: 'none', reason: 'broken', detail: 'The refund was sent before its bet, on purpose.' };

/**
 * Plays the rounds of the service against an operator. Makes the reverse calls that the contract prescribes (States and
 * transitions; Errors, reverse-call error handling). Sends wins and refunds again until the operator answers 200. Each call is
 * stored before it is sent. An adapter that opens the store after a crash can therefore continue the rounds.
 */
export class Adapter {
  readonly #options: AdapterOptions;
  readonly #contract: ContractVersion;
  readonly #writer: RoundWriter;
  readonly #debts: Debts;
  readonly #payouts: Payouts;
  /**
   * One lock for each client and session with a bet in progress. With this lock, the bets of a session are sent one after another.
   */
  readonly #betLocks = new Map<string, Mutex>();
  readonly #closing = new AbortController();
  /** The bets and balance calls that are not answered yet. */
  readonly #sending = new Set<Promise<unknown>>();
  /**
   * The rounds of `openRound` whose first bet was stored. Such a round is finished if the store does not have it any more. Then it
   * accepts no further bet.
   */
  readonly #begun = new WeakSet<RoundRecord>();
  /** The `txID`s of bets that are refunded on purpose before they are sent, and that are not sent yet. */
  readonly #unsentBets = new Set<string>();

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#contract = options.contract ?? CONTRACT_VERSION;
    const { store, uuid, clock, sleep, random, backoff = DEFAULT_BACKOFF } = options;
    const onFault = (error: unknown): void => options.onFault?.(error);
    const onRound = (record: RoundRecord): void => options.onRound?.(record);
    const closing = this.#closing.signal;
    this.#writer = new RoundWriter({ store, sleep, random, backoff, closing, onRound, onFault });
    this.#debts = new Debts({
      send: (record, debt) => this.#send(record, debt),
      conclude: (roundID, txID, outcome) => this.#concludeDebt(roundID, txID, outcome),
      flush: () => this.#writer.flush(),
      clock,
      sleep,
      random,
      backoff,
      onFault,
      maxRetriesAtOnce: options.maxRetriesAtOnce ?? MAX_RETRIES_AT_ONCE,
    });
    this.#payouts = new Payouts(this.#writer, this.#debts, uuid);
    this.#resume();
  }

  /** Reads a player's balance from the operator (contract, Events). */
  async balance(session: RoundSession): Promise<BalanceResult> {
    const { extCID, gsID, sessionID } = session;
    if (this.#closing.signal.aborted) return { kind: 'refused', reason: 'closing' };
    const outcome = await this.#track(
      this.#options.send({ call: 'balance', extCID, gsID, roundID: null, fields: { sessionID } }),
    );
    const { status, balance, message, code } = readAnswer(outcome);
    return status === 200 && balance !== null
      ? { kind: 'balance', balance }
      : { kind: 'failed', status, message, code };
  }

  /**
   * Opens a round. The round is stored together with its first bet. Before that, nothing is sent.
   *
   * @throws RangeError when the win is not a plain decimal
   */
  openRound(session: RoundSession, terms: RoundTerms = {}): RoundRecord {
    const { gsID, extCID, sessionID, player, currency, gameID } = session;
    const { win, free } = terms;
    if (win !== undefined) Money.of(win);
    return {
      gsID,
      extCID,
      sessionID,
      player,
      currency,
      gameID,
      round: startRound(sessionID, this.#options.uuid()),
      plannedWin: win ?? null,
      free: free ?? null,
      over: false,
      openedAt: this.#options.clock(),
      failed: {},
    };
  }

  /**
   * Places a bet in a round. The bets of a session are sent one after the other, in the order in which this method is
   * called.
   *
   * @param opened a round of `openRound` or `rounds`
   * @param amount a plain decimal in the main unit
   * @throws RangeError when the amount is not a plain decimal
   * @throws an SQLite error when the bet can't be stored; then nothing is sent
   */
  async bet(opened: RoundRecord, amount: string): Promise<BetResult> {
    Money.of(amount);
    return (await this.#bet(opened, amount)).bet;
  }

  /**
   * Plays a whole round: sends its bet, and sends the win after the bet is accepted.
   *
   * @throws what `openRound` and `bet` throw
   */
  async play(session: RoundSession, stake: string, terms: RoundTerms & { readonly win: string }): Promise<RoundResult> {
    Money.of(stake);
    const opened = this.openRound(session, terms);
    const { bet, win } = await this.#bet(opened, stake);
    return { roundID: opened.round.roundID, bet, win: win === null ? null : await win };
  }

  /**
   * Places a win in a round whose bet is accepted. The amount is 0 if the player won nothing. The win ends the round,
   * unless `more` is true.
   *
   * @returns the result of the first attempt; after a failure the win is sent again in the background until it is
   * answered 200
   * @throws RangeError when the amount is not a plain decimal
   * @throws an SQLite error when the win can't be stored; then nothing is sent
   */
  async win(roundID: string, amount: string, { more = false } = {}): Promise<WinResult> {
    Money.of(amount);
    const record = this.#writer.store.round(roundID);
    if (record === undefined) return { kind: 'refused', reason: 'round-over' };
    // The win of a free round does not end the round. If the round is the last of the campaign, the sum of all wins is also
    // paid in this round.
    return this.#payouts.pay(record, { amount, type: 'free', over: !more && record.free === null });
  }

  /**
   * Ends a campaign that was cancelled or whose time is over. No free round of the campaign can begin any more. When
   * the open rounds are settled, each player is paid the sum of the wins.
   *
   * @throws an SQLite error when the end can't be stored
   */
  endCampaign(extCID: string, frID: string): void {
    const { store } = this.#options;
    if (store.hasEnded({ extCID, frID })) return;
    const players = store.tallies().filter((tally) => tally.extCID === extCID && tally.frID === frID);
    store.endCampaign({ extCID, frID });
    for (const tally of players) void this.#payouts.withdraw(tally);
  }

  /** Returns true if `endCampaign` has ended a campaign. */
  hasCampaignEnded(extCID: string, frID: string): boolean {
    return this.#options.store.hasEnded({ extCID, frID });
  }

  /**
   * Returns the number of a player's free rounds in a campaign, and the sum of their wins; undefined if no free round has
   * begun, or if the campaign is over.
   */
  tally(of: TallyKey): FreeTally | undefined {
    return this.#options.store.tally(of);
  }

  /** Returns up to 200 rounds that were finished last, followed by all open rounds. Both groups are sorted oldest first. */
  rounds(): readonly RoundRecord[] {
    const { store } = this.#options;
    return [...store.finished, ...store.rounds()];
  }

  /** Returns the rounds of one game session: first the latest finished rounds, then the open rounds. */
  roundsOf(gsID: string): readonly RoundRecord[] {
    const { store } = this.#options;
    return [...store.finished.filter((record) => record.gsID === gsID), ...store.roundsOf(gsID)];
  }

  /** Returns the wins and refunds that the operator has not answered with 200 yet, oldest first. */
  owed(): readonly Owed[] {
    return this.#debts.owed();
  }

  /**
   * Sends a win or refund again at once, although the time of the next attempt has not come.
   *
   * @returns false when the call is settled, or is being sent at the moment
   */
  retryNow(txID: string): boolean {
    return this.#debts.retryNow(txID);
  }

  /**
   * Stops the adapter. No further call is sent. Open calls still get the grace time for their answers. After the next start, a
   * call without an answer is treated like a call whose connection broke.
   *
   * @param graceMs the grace time in milliseconds
   */
  async close(graceMs = 0): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const answered = Promise.allSettled([this.#debts.stop(), ...this.#sending]);
    const grace = new AbortController();
    await Promise.race([answered.then(() => grace.abort()), this.#options.sleep(graceMs, grace.signal)]);
    this.#writer.close();
  }

  #resume(): void {
    const { store } = this.#options;
    for (const before of store.rounds()) {
      const { roundID } = before.round;
      let record = before;
      for (const txID of betsInDoubt(before)) record = this.#writer.advance(roundID, { kind: 'broken', txID });
      for (const debt of debtsOf(record)) this.#debts.resume(record, debt);
      void this.#payouts.payPlanned(roundID);
    }
    for (const tally of store.tallies()) void this.#payouts.withdraw(tally);
  }

  #bet(opened: RoundRecord, amount: string): Promise<Played> {
    const key = JSON.stringify([opened.extCID, opened.sessionID]);
    const lock = this.#betLocks.get(key) ?? new Mutex();
    this.#betLocks.set(key, lock);
    const bet = lock.runExclusive(() => this.#betInTurn(opened, amount));
    return this.#track(
      bet.finally(() => {
        if (!lock.isLocked()) this.#betLocks.delete(key);
      }),
    );
  }

  async #betInTurn(opened: RoundRecord, amount: string): Promise<Played> {
    const { uuid } = this.#options;
    const { roundID } = opened.round;
    const txID = uuid();
    const event: RoundEvent = { kind: 'bet', txID, refundTxID: uuid(), amount, ...kindOf(opened, 'free') };
    const reason = this.#refusal(opened, event);
    if (reason !== undefined) return { bet: { kind: 'refused', reason }, win: null };

    const begins = this.#options.store.round(roundID) === undefined;
    const record = begins ? this.#writer.begin(opened, event) : this.#writer.advance(roundID, event);
    this.#begun.add(opened);
    await this.#writer.flush();
    return this.#sendBet(record, txID);
  }

  async #sendBet(record: RoundRecord, txID: string): Promise<Played> {
    const { roundID } = record.round;
    const bet = callOf(outstandingCalls(record.round), txID);
    const isGivenUp = (this.#options.faults?.take('bet', record.gsID, ['refund-first']).length ?? 0) > 0;
    if (isGivenUp) this.#unsentBets.add(txID);
    const outcome = isGivenUp ? GIVEN_UP : await this.#send(record, bet);
    const concluded = await this.#writer.retry(() => this.#writer.conclude(roundID, txID, outcome));
    if (concluded === null) return { bet: { kind: 'refused', reason: 'closing' }, win: null };

    const refund = debtsOf(concluded).find((debt) => debt.call === 'refund' && debt.body.origTxID === txID);
    const refunded = refund && this.#debts.add(concluded, refund);
    if (isGivenUp) {
      await refunded;
      this.#unsentBets.delete(txID);
      await this.#send(record, bet);
    }
    if (record.free !== null) void this.#payouts.withdraw({ ...record, frID: record.free.frID });
    const { status, balance, message, code } = readAnswer(outcome);
    if (status !== 200) {
      return { bet: { kind: 'declined', txID, status, message, code, refunding: refund !== undefined }, win: null };
    }
    const win = record.plannedWin === null ? null : this.#payouts.payPlanned(roundID);
    return { bet: { kind: 'accepted', txID, balance }, win };
  }

  /** Returns the reason why a bet can't be placed; undefined if the bet is possible. */
  #refusal(opened: RoundRecord, event: RoundEvent): RefusalReason | undefined {
    const { store } = this.#options;
    if (this.#writer.isClosing) return 'closing';
    if (store.round(opened.round.roundID) === undefined) {
      return this.#begun.has(opened) || opened.round.bets.length > 0 ? 'round-over' : store.freeRefusal(opened);
    }
    return store.refusalOf(opened.round.roundID, event);
  }

  #send(record: RoundRecord, owed: OwedCall): Promise<Outcome> {
    const { extCID, gsID, round } = record;
    const { roundID } = round;
    const isBetUnsent = owed.call === 'refund' && this.#unsentBets.has(owed.body.origTxID);
    const fields = fieldsOf(owed, this.#contract);
    return this.#options.send({ call: owed.call, extCID, gsID, roundID, fields, ...(isBetUnsent && { isBetUnsent }) });
  }

  #concludeDebt(roundID: string, txID: string, outcome: Outcome): number | null {
    const record = this.#writer.conclude(roundID, txID, outcome);
    if (record === null) return FIRST_WAIT;
    if (record.free !== null) void this.#payouts.withdraw({ ...record, frID: record.free.frID });
    return record.failed[txID] ?? null;
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#sending.add(work);
    try {
      return await work;
    } finally {
      this.#sending.delete(work);
    }
  }
}

/** The result of a bet, and of the win that follows if the bet is accepted. */
interface Played {
  readonly bet: BetResult;
  readonly win: Promise<WinResult> | null;
}
