import { Money } from '../../contract/money.ts';
import { type OwedCall, outstandingCalls, type RoundEvent, startRound } from '../../contract/round.ts';
import { CONTRACT_VERSION, type ContractVersion } from '../../contract/versions.ts';
import type { Outcome } from '../../journal/exchange.ts';
import type { AdapterOptions, RoundTerms } from './adapter-options.ts';
import { readAnswer } from './answer.ts';
import { DEFAULT_BACKOFF } from './backoff.ts';
import { Debts, type Owed } from './debts.ts';
import type { FreeTally } from './free-tally.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { Payouts } from './payouts.ts';
import { Recording } from './recording.ts';
import type { BalanceResult, BetResult, RefusalReason, RoundResult, WinResult } from './results.ts';
import { fieldsOf } from './reverse-call.ts';
import { betsInDoubt, callOf, debtsOf, kindOf, type RoundRecord, type RoundSession } from './round-record.ts';
import { Turns } from './turns.ts';

const RETRIES_AT_ONCE = 64;
const FIRST_WAIT = 1;

/** What a bet that is given up on purpose looks like to its round. */
const GIVEN_UP: Outcome = { kind: 'none', reason: 'broken', detail: 'The refund was to go ahead of its bet.' };

/**
 * The integration adapter: makes the reverse calls of rounds, exactly as the contract's table of states has it (States and transitions;
 * Errors, reverse-call error handling), and sends wins and refunds until they are answered 200. What is about to be sent is
 * in the ledger before; an adapter that is made on the ledger of one that was killed goes on where that one was.
 */
export class Adapter {
  readonly #options: AdapterOptions;
  readonly #contract: ContractVersion;
  readonly #recording: Recording;
  readonly #debts: Debts;
  readonly #payouts: Payouts;
  readonly #turns = new Turns();
  readonly #closing = new AbortController();
  /** Bets and reads under way. */
  readonly #sending = new Set<Promise<unknown>>();
  /** Rounds that were opened here and begun since: when the book no longer has one of them, it is over. */
  readonly #begun = new WeakSet<RoundRecord>();

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.#contract = options.contract ?? CONTRACT_VERSION;
    const { ledger, uuid, clock, sleep, random, backoff = DEFAULT_BACKOFF } = options;
    const onFault = (error: unknown): void => options.onFault?.(error);
    const onRound = (record: RoundRecord): void => options.onRound?.(record);
    const closing = this.#closing.signal;
    this.#recording = new Recording({ ledger, sleep, random, backoff, closing, onRound, onFault });
    this.#debts = new Debts({
      send: (record, debt) => this.#send(record, debt),
      conclude: (roundID, txID, outcome) => this.#concludeDebt(roundID, txID, outcome),
      secured: () => this.#recording.secured(),
      clock,
      sleep,
      random,
      backoff,
      onFault,
      retriesAtOnce: options.retriesAtOnce ?? RETRIES_AT_ONCE,
    });
    this.#payouts = new Payouts(this.#recording, this.#debts, uuid);
    this.#resume();
  }

  /** Reads a player's balance (contract, Events: when the game loads, and when one is needed). */
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
   * Opens a round, of which nobody learns before its first bet.
   *
   * @throws RangeError when the win is no plain decimal
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
   * Places a bet in a round. The bets of one session go out one after the other, in the order in which they were asked for.
   *
   * @param opened what `openRound` or `rounds` gave
   * @param amount a plain decimal in the main unit
   * @throws RangeError when the amount is none
   * @throws what the system says when the bet can't be written into the ledger; nothing was sent then
   */
  async bet(opened: RoundRecord, amount: string): Promise<BetResult> {
    Money.of(amount);
    return (await this.#bet(opened, amount)).bet;
  }

  /**
   * Plays a whole round: a bet, and the win once it is accepted.
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
   * Places a win in a round that has an accepted bet; 0 when nothing was won. It is the last of its round unless `more` is true.
   *
   * @returns what came of the first try; a win that failed is sent again in the background until it is answered 200
   * @throws RangeError when the amount is no plain decimal
   * @throws what the system says when the win can't be written into the ledger; nothing was sent then
   */
  async win(roundID: string, amount: string, { more = false } = {}): Promise<WinResult> {
    Money.of(amount);
    const record = this.#recording.book.round(roundID);
    if (record === undefined) return { kind: 'refused', reason: 'round-over' };
    // The last free round stays open for the withdrawal.
    return this.#payouts.pay(record, { amount, type: 'free', over: !more && record.free === null });
  }

  /**
   * Lets no free round of a campaign begin any more, because it was cancelled or is past its time. What was begun goes on; then
   * each player is paid what was won.
   */
  endCampaign(extCID: string, frID: string): void {
    const { book } = this.#recording;
    if (book.hasEnded({ extCID, frID })) return;
    const players = book.tallies.filter((tally) => tally.extCID === extCID && tally.frID === frID);
    this.#options.ledger.append({ kind: 'campaign-ended', extCID, frID });
    for (const tally of players) void this.#payouts.withdraw(tally);
  }

  /** No free round of a campaign begins any more. */
  hasCampaignEnded(extCID: string, frID: string): boolean {
    return this.#recording.book.hasEnded({ extCID, frID });
  }

  /** What a player had of a campaign; undefined when no free round of it was begun. */
  tally(of: Pick<FreeTally, 'frID' | 'extCID' | 'player'>): FreeTally | undefined {
    return this.#recording.book.tally(of);
  }

  /** The rounds that are open, and before them those that were finished last, the latest at the end. */
  rounds(): readonly RoundRecord[] {
    const { book } = this.#recording;
    return [...book.finished, ...book.rounds];
  }

  /** The wins and refunds that no 200 has come for, oldest first. */
  owed(): readonly Owed[] {
    return this.#debts.owed();
  }

  /** Sends an owed call again without further waiting. @returns false when it isn't owed, or is being sent at this moment */
  retryNow(txID: string): boolean {
    return this.#debts.retryNow(txID);
  }

  /**
   * Sends nothing more and closes the ledger, once what is under way is answered or so many milliseconds have passed. What is not
   * answered by then counts as a broken connection at the next start.
   */
  async close(graceMs = 0): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const landed = Promise.allSettled([this.#debts.stop(), ...this.#sending]);
    const grace = new AbortController();
    await Promise.race([landed.then(() => grace.abort()), this.#options.sleep(graceMs, grace.signal)]);
    await this.#recording.close();
  }

  #resume(): void {
    const { book } = this.#recording;
    for (const before of book.rounds) {
      const { roundID } = before.round;
      const lost = betsInDoubt(before).map(
        (txID): LedgerEntry => ({ kind: 'event', roundID, event: { kind: 'broken', txID } }),
      );
      const record = lost.length === 0 ? before : this.#recording.record(...lost);
      for (const debt of debtsOf(record)) this.#debts.resume(record, debt);
      void this.#payouts.payPlanned(roundID);
    }
    for (const tally of book.tallies) void this.#payouts.withdraw(tally);
  }

  #bet(opened: RoundRecord, amount: string): Promise<Played> {
    const key = JSON.stringify([opened.extCID, opened.sessionID]);
    return this.#track(this.#turns.take(key, () => this.#betInTurn(opened, amount)));
  }

  async #betInTurn(opened: RoundRecord, amount: string): Promise<Played> {
    const { uuid } = this.#options;
    const { roundID } = opened.round;
    const txID = uuid();
    const event: RoundEvent = { kind: 'bet', txID, refundTxID: uuid(), amount, ...kindOf(opened, 'free') };
    const reason = this.#refusal(opened, event);
    if (reason !== undefined) return { bet: { kind: 'refused', reason }, win: null };

    const begins = this.#recording.book.round(roundID) === undefined;
    const placed = { kind: 'event', roundID, event } as const;
    const record = this.#recording.record(...(begins ? [{ kind: 'round', record: opened } as const] : []), placed);
    this.#begun.add(opened);
    await this.#recording.secured();
    return this.#sendBet(record, txID);
  }

  async #sendBet(record: RoundRecord, txID: string): Promise<Played> {
    const { roundID } = record.round;
    const bet = callOf(outstandingCalls(record.round), txID);
    const isGivenUp = (this.#options.faults?.strike('bet', record.gsID, ['refund-first']).length ?? 0) > 0;
    const outcome = isGivenUp ? GIVEN_UP : await this.#send(record, bet);
    const concluded = await this.#recording.insist(() => this.#recording.conclude(roundID, txID, outcome));
    if (concluded === null) return { bet: { kind: 'refused', reason: 'closing' }, win: null };

    const refund = debtsOf(concluded).find((debt) => debt.call === 'refund' && debt.body.origTxID === txID);
    const refunded = refund && this.#debts.take(concluded, refund);
    if (isGivenUp) {
      await refunded;
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

  /** Why a bet can't be placed. */
  #refusal(opened: RoundRecord, event: RoundEvent): RefusalReason | undefined {
    const { book } = this.#recording;
    if (this.#recording.isClosing) return 'closing';
    if (book.round(opened.round.roundID) === undefined) {
      return this.#begun.has(opened) || opened.round.bets.length > 0 ? 'round-over' : book.freeRefusal(opened);
    }
    const prospect = book.prospect(opened.round.roundID, event);
    return prospect === 'possible' ? undefined : prospect;
  }

  #send(record: RoundRecord, owed: OwedCall): Promise<Outcome> {
    const { extCID, gsID, round } = record;
    const { roundID } = round;
    return this.#options.send({ call: owed.call, extCID, gsID, roundID, fields: fieldsOf(owed, this.#contract) });
  }

  #concludeDebt(roundID: string, txID: string, outcome: Outcome): number | null {
    const record = this.#recording.conclude(roundID, txID, outcome);
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

/** A bet, and the win that goes with it once it is accepted. */
interface Played {
  readonly bet: BetResult;
  readonly win: Promise<WinResult> | null;
}
