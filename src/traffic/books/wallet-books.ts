import { Money } from '../../contract/money.ts';
import { durationOf, type LoggedCall, met, UNKNOWN_DURATION_MS } from '../calls/logged-call.ts';
import {
  type Bets,
  betsOf,
  isBetKnown,
  isUndueRefund,
  type Transaction,
  transactionsOf,
} from '../calls/transaction.ts';
import { contradictionIn, isChangeExplained, type Said } from './balance-change.ts';
import type { Cause, Deviation } from './deviation.ts';
import { betOf, type Candidate, effectOf, undoneRule } from './effects.ts';
import { explanationsOf } from './explanation.ts';
import { isSameButForRest } from './float-rest.ts';
import {
  applying,
  beginning,
  closing,
  distinct,
  forgetting,
  isApplied,
  isClosed,
  MAX_WORLDS,
  settle,
  type World,
} from './worlds.ts';

/** The possible states of the operator's books of one wallet after the last call. */
export interface Books {
  readonly transactions: readonly Transaction[];
  readonly worlds: readonly World[];
  /** True if a reply contained a balance. Otherwise all balances are counted from zero. */
  readonly isAnchored: boolean;
  /** The first balance in a reply; null if there is none. `lastSaid` is the last balance in a reply. */
  readonly firstSaid: Said | null;
  readonly lastSaid: Said | null;
  readonly deviations: readonly Deviation[];
  /** The reason why the books cannot be computed; null if they can. */
  readonly unknown: string | null;
}

/** Computes the books of one wallet from its calls, which must be in order of time. */
export function computeBooks(calls: readonly LoggedCall[]): Books {
  const transactions = transactionsOf(calls);
  const bets = betsOf(transactions);
  const books = new BooksComputation({ bets, transactions: () => transactions });
  const transactionOf = new Map(transactions.flatMap((one) => one.attempts.map((call) => [call, one] as const)));
  const reachMs = reachOf(calls);
  for (const [index, call] of calls.entries())
    books.take(call, transactionOf.get(call), meetingsOf(calls, index, reachMs));
  const result = books.result();
  return { transactions, ...result, unknown: result.unknown ?? books.doubt() };
}

/** Returns the maximum time in ms between the beginnings of two calls that are in flight at the same time. */
function reachOf(calls: readonly LoggedCall[]): number {
  let reach = 0;
  for (const call of calls)
    reach = Math.max(reach, (durationOf(call) ?? UNKNOWN_DURATION_MS) + (call.seen.exchange.time?.precisionMs ?? 1));
  return reach;
}

/**
 * Compares the call at `index` with the calls about money near it: were the two calls in flight at the same time? Returns the set
 * of all answers.
 */
function meetingsOf(calls: readonly LoggedCall[], index: number, reachMs: number): ReadonlySet<'yes' | 'no' | 'maybe'> {
  const found = new Set<'yes' | 'no' | 'maybe'>();
  const call = calls[index];
  if (call?.atMs == null) return found;
  // Calls are in order of time, so only calls near this call can have been in flight at the same time.
  const end = Math.min(calls.length, index + NEIGHBOURS);
  for (let at = Math.max(0, index - NEIGHBOURS); at < end; at += 1) {
    const other = calls[at];
    if (!other || at === index || other.seen.call === 'balance' || other.atMs === null) continue;
    if (Math.abs(other.atMs - call.atMs) <= reachMs) found.add(met(call, other));
  }
  return found;
}

/**
 * Number of calls before and after a call that may have been in flight at the same time as this call. Calls farther away are not
 * checked.
 */
const NEIGHBOURS = 100;

/** A balance that the calls do not explain. */
interface Unexplained extends Said {
  /** True if the calls explain it in another order than in the logs. */
  readonly isOnlyByOrder: boolean;
}

/** The transactions of a wallet that are known so far. */
export interface Ledger {
  readonly bets: Bets;
  transactions(): Iterable<Transaction>;
  /** True for a bet that was certainly never sent. Without this function, the operator may know each bet that is not in the log. */
  isUnsent?(txID: string): boolean;
}

/** Computes the books of one wallet call by call, in order of time. */
export class BooksComputation {
  readonly #ledger: Ledger;
  #deviations: (Deviation & { readonly index: number })[] = [];
  #worlds: readonly World[] = [beginning()];
  #candidates: Candidate[] = [];
  #isAnchored = false;
  #firstSaid: Books['firstSaid'] = null;
  #lastSaid: Books['lastSaid'] = null;
  /** The call whose reply contained the last balance but one. */
  #lastRead: LoggedCall | null = null;
  #unknown: string | null = null;
  /**
   * The possible states of the books after the last call, before they are compared with the balance in its reply. Null if no
   * balance was known.
   */
  #expected: readonly World[] | null = null;
  /**
   * Balances of replies that came while other calls were in flight. The list is emptied as soon as a balance can be compared with
   * the books.
   */
  #unread: Said[] = [];
  /** The last balance that a refund of a bet with an unknown outcome named, and that the calls do not allow. */
  #ofRefund: Said | null = null;
  /** The transaction of the last calls in a row, the number of these calls, and the balances that were possible after each. */
  #repeated: { readonly key: string | null; readonly attempts: number; readonly balances: readonly Money[] } = {
    key: null,
    attempts: 0,
    balances: [],
  };
  /** A balance before the first usable balance that the calls between the two do not explain. Null if there is none. */
  #unexplained: Unexplained | null = null;

  /** The possible states of the books that a balance rejected, although one error of the operator would explain this balance. */
  #rejected: readonly Rejected[] = [];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /**
   * Returns every balance that is possible after the last call, if the operator kept the contract. Returns null while no reply has
   * contained a balance.
   */
  expected(): readonly Money[] | null {
    return this.#expected && distinct(this.#expected).map(({ balance }) => balance);
  }

  /** True if croupier knows which balance to expect after the last call. */
  isExpectedKnown(): boolean {
    return this.#expected !== null;
  }

  result(): Omit<Books, 'transactions'> {
    return {
      worlds: this.#worlds,
      isAnchored: this.#isAnchored,
      lastSaid: this.#lastSaid,
      deviations: this.#deviations,
      unknown: this.#unknown,
      firstSaid: this.#firstSaid,
    };
  }

  /** Returns the reason to doubt the books. Returns null if a later balance confirms the books, or if no reply has a balance. */
  doubt(): string | null {
    const last = this.#unread.at(-1);
    if (!this.#isAnchored) return null;
    const clause = (what: string, { balance, call }: Said): string =>
      `the calls do not explain the ${what} balance in a reply (${balance.format(2)}, call ${call.number}), and other calls were in flight at the same time`;
    if (this.#unexplained?.isOnlyByOrder === true) {
      const { balance, call } = this.#unexplained;
      return `the calls explain the first balance in a reply (${balance.format(2)}, call ${call.number}) only in another order than in the logs, and an error of the operator would explain it too`;
    }
    if (this.#unexplained) return clause('first', this.#unexplained);
    const isConfirmed = this.#unread.some(({ balance }) =>
      this.#worlds.some((world) => isSameButForRest(world.balance, balance)),
    );
    if (last && !isConfirmed) return clause('last', last);
    if (!this.#ofRefund) return null;
    const { balance, call } = this.#ofRefund;
    return `the reply to a refund (call ${call.number}) names a balance of ${balance.format(2)}, which the calls do not explain, and the contract allows any balance in it, because it is unknown whether the bet was taken`;
  }

  /** Makes the balance unknown. After that, the balance in the next reply counts as correct. */
  loosen(): void {
    this.#isAnchored = false;
    this.#candidates = [];
    this.#rejected = [];
    this.#deviations = [];
  }

  /** Removes an old transaction from the books. Call this only if no later call can refer to the transaction. */
  forget(key: string): void {
    this.#worlds = forgetting(this.#worlds, key);
    this.#candidates = this.#candidates.filter(({ transaction }) => transaction.key !== key);
    this.#rejected = this.#rejected.filter(({ candidate }) => candidate.transaction.key !== key);
  }

  /**
   * Applies the next call to the books.
   *
   * @param meetings the answers for the calls about money near this call: were they in flight at the same time as this call?
   */
  take(call: LoggedCall, transaction: Transaction | undefined, meetings: ReadonlySet<'yes' | 'no' | 'maybe'>): void {
    if (this.#unknown !== null) return;
    const isRepeat = transaction?.attempts.some((other) => other.number < call.number && other.done === 'yes') ?? false;
    if (transaction) {
      const isBetUnsent = transaction.origTxID !== null && this.#ledger.isUnsent?.(transaction.origTxID) === true;
      const { bets } = this.#ledger;
      const isUndue = call.done !== 'no' && isUndueRefund(transaction, this.#ledger.transactions(), bets);
      const effect = effectOf({ call, transaction, isRepeat, isBetUnsent, isUndue, bets }, this.#worlds);
      this.#worlds = effect.worlds;
      this.#candidates = [...this.#candidates, ...effect.candidates].slice(-MAX_CANDIDATES);
      this.#unknown = effect.unknown;
    }
    if (this.#worlds.length > MAX_WORLDS) {
      this.#unknown ??= 'too many calls have no known outcome, so their effects cannot be distinguished';
      this.#expected = null;
      return;
    }
    this.#expected = this.#isAnchored ? this.#worlds : null;
    // The operator may answer a repeated call with the stored reply to the first attempt. The balance in such a reply is old.
    const mayBeStored =
      transaction !== undefined && isStored(call, transaction) && !this.#isNewBalance(call, transaction);
    this.#noteAttempt(transaction);
    if (!mayBeStored && this.#saysBalance(call, transaction)) {
      if (meetings.has('yes')) this.#leave(call);
      else this.#read(call, meetings.has('maybe'));
    } else if (!mayBeStored) this.#noteOfRefund(call, transaction);
    this.#worlds = settle(this.#worlds);
  }

  /**
   * True if the reply to a repeated call has a balance that was possible neither after an earlier attempt nor now. So this balance
   * is wrong, whether or not the reply is stored. False if another call came between the attempts, because then an earlier change
   * of the balance may be the reason.
   */
  #isNewBalance({ number, balance }: LoggedCall, { key, attempts }: Transaction): boolean {
    const { key: repeated, attempts: count, balances } = this.#repeated;
    const isAlone = repeated === key && attempts.filter((other) => other.number < number).length === count;
    if (!isAlone || !this.#isAnchored || balance === null) return false;
    return ![...balances, ...this.#worlds.map((world) => world.balance)].some((one) => isSameButForRest(one, balance));
  }

  /** Notes the possible balances after an attempt of a transaction. Forgets those of another transaction. */
  #noteAttempt(transaction: Transaction | undefined): void {
    const { key, attempts, balances } = this.#repeated;
    const isSame = transaction !== undefined && transaction.key === key;
    this.#repeated = {
      key: transaction?.key ?? null,
      attempts: (isSame ? attempts : 0) + 1,
      balances: [...(isSame ? balances : []), ...this.#worlds.map(({ balance }) => balance)].slice(-MAX_WORLDS),
    };
  }

  /**
   * True if the reply contains a usable balance. If it is unknown whether the operator took a bet, the reply to the refund of this
   * bet has no usable balance, because the contract allows any balance in it.
   */
  #saysBalance(call: LoggedCall, transaction: Transaction | undefined): boolean {
    if (call.balance === null || call.done !== 'yes' || call.ending === 'error-200') return false;
    if (transaction?.call !== 'refund') return true;
    const { bets } = this.#ledger;
    // The reply to the bet came too late for the service. But it shows that the operator took the bet.
    return betOf(transaction, bets)?.state === 'accepted' || isBetKnown(transaction.origTxID, call, bets);
  }

  /** Notes the balance in the reply to a refund if it is not usable and not possible. The contract names 0 as such a balance. */
  #noteOfRefund(call: LoggedCall, transaction: Transaction | undefined): void {
    const { balance } = call;
    if (transaction?.call !== 'refund' || call.done !== 'yes' || balance === null || balance.isZero()) return;
    const isPossible = this.#worlds.some((world) => isSameButForRest(world.balance, balance));
    this.#ofRefund = isPossible || !this.#isAnchored ? null : { balance, call };
  }

  /**
   * Compares the balance in a reply with the books.
   *
   * @param isDoubtful true if other calls may have been in flight; then a balance that differs from the books is ignored
   */
  #read(call: LoggedCall, isDoubtful: boolean): void {
    const said = call.balance ?? Money.zero;
    const right = this.#worlds.filter(({ balance }) => isSameButForRest(balance, said));
    if (isDoubtful && (!this.#isAnchored || right.length === 0)) {
      this.#leave(call);
      return;
    }
    if (!this.#isAnchored) this.#unexplained = this.#unexplainedBefore(call, said);
    this.#unread = [];
    this.#ofRefund = null;
    this.#lastRead = this.#lastSaid?.call ?? null;
    this.#lastSaid = { balance: said, call };
    if (!this.#isAnchored) {
      this.#isAnchored = true;
      this.#worlds = distinct(this.#worlds.map((world) => ({ ...world, balance: said })));
      this.#candidates = [];
      this.#firstSaid = this.#lastSaid;
      return;
    }
    if (right.length > 0) {
      this.#noteRejected(right, said);
      this.#worlds = right;
    } else this.#worlds = this.#carriedOutLate(said) ?? this.#deviate(call, said);
    this.#candidates = [];
  }

  /**
   * A balance that fits only some of the possible states of the books (worlds) rejects the others. But a rejected world may be the
   * right one, if the operator made an error of exactly the difference. Notes these errors.
   */
  #noteRejected(right: readonly World[], said: Money): void {
    const [kept] = right;
    if (!kept || right.length === this.#worlds.length) return;
    const noted = this.#worlds.flatMap((world) => {
      if (right.includes(world)) return [];
      const by = said.minus(world.balance);
      const keys = new Set([...world.applied, ...kept.applied]);
      const transactions = new Set([...keys].filter((key) => isApplied(world, key) !== isApplied(kept, key)));
      return this.#candidates
        .filter((one) => one.isRounding !== true && one.by.equals(by))
        .map((candidate): Rejected => ({ transactions, candidate }));
    });
    this.#rejected = [...this.#rejected, ...noted].slice(-MAX_CANDIDATES);
  }

  /**
   * Returns the earlier errors that explain a wrong balance as well as an error in this transaction does. An earlier balance showed
   * either that the operator had not carried out the transaction, or that the operator had made an error of the same amount.
   */
  #earlierErrors({ by, causes }: Pick<Deviation, 'by' | 'causes'>): readonly (readonly Cause[])[] {
    const [cause, ...others] = causes;
    if (!cause || others.length > 0) return [];
    const { key } = cause.transaction;
    return this.#rejected
      .filter(({ transactions, candidate }) => candidate.by.equals(by) && transactions.has(key))
      .map(({ candidate }) => [causeOf(candidate)])
      .slice(0, MAX_EXPLANATIONS);
  }

  #leave(call: LoggedCall): void {
    this.#unread = [...this.#unread, { balance: call.balance ?? Money.zero, call }].slice(-MAX_UNREAD);
  }

  /**
   * Compares the first usable balance with the balances before it, which came while other calls were in flight, and compares these
   * balances with each other. Returns one that the calls do not explain, or that they explain only if two calls which perhaps overlapped
   * had another order than in the logs. An error of the operator would explain such a balance as well.
   */
  #unexplainedBefore(call: LoggedCall, balance: Money): Unexplained | null {
    if (this.#unread.length === 0) return null;
    const { bets } = this.#ledger;
    const transactions = [...this.#ledger.transactions()];
    const first = { balance, call };
    const unexplained =
      this.#unread.find((one) => !isChangeExplained(one, first, transactions, bets)) ??
      contradictionIn(this.#unread, transactions, bets);
    if (unexplained) return { ...unexplained, isOnlyByOrder: false };
    const byOrder = this.#unread.find((one) => !isChangeExplained(one, first, transactions, bets, 'certain'));
    return byOrder ? { ...byOrder, isOnlyByOrder: true } : null;
  }

  /**
   * Assumes that the operator carried out some calls with an unknown outcome late: they were sent before the last known balance,
   * and carried out after it. Returns the possible states of the books (worlds) that have this balance; undefined if there are
   * none.
   */
  #carriedOutLate(said: Money): readonly World[] | undefined {
    const open = [...this.#ledger.transactions()].filter(
      ({ state, attempts }) =>
        state !== 'accepted' &&
        state !== 'declined' &&
        attempts.some(({ number }) => number < (this.#lastSaid?.call.number ?? 0)),
    );
    let worlds = this.#worlds;
    for (let results = 1; results <= MAX_COMBINED && worlds.length <= MAX_WORLDS; results += 1) {
      worlds = distinct(worlds.flatMap((world) => open.flatMap((one) => carriedOut(world, one, this.#ledger.bets))));
      const right = worlds.filter(({ balance }) => balance.equals(said));
      if (right.length > 0) return right;
    }
    return undefined;
  }

  /**
   * Reports a balance that is wrong in every possible state of the books (every world). Also reports the smallest set of errors
   * that explains the balance exactly, if there is one. The books continue from this balance.
   */
  #deviate(call: LoggedCall, said: Money): readonly World[] {
    const fixes = this.#fixes();
    // An earlier balance may be wrong because the operator did not take a bet. If the operator then gives nothing back for the
    // refund of this bet, the balance is right again. So explanations with both errors are tried first.
    const ofBet = fixes.filter(
      ({ transaction, fixes }) =>
        fixes !== undefined &&
        this.#deviations[fixes]?.causes.length !== 0 &&
        transaction.call === 'bet' &&
        this.#worlds.some((world) => isClosed(world, transaction.key)),
    );
    const corrected = this.#fitting(
      said,
      ofBet.map((one) => [one]),
    );
    if (corrected.length > 0) return this.#note(call, said, corrected);
    const candidates = [...this.#lateDebits(), ...this.#candidates, ...fixes];
    for (const group of explanationsOf(candidates)) {
      const fitting = this.#fitting(said, group);
      if (fitting.length > 0) return this.#note(call, said, fitting);
    }
    const [world = beginning()] = this.#worlds;
    return this.#note(call, said, [{ world, causes: [] }]);
  }

  /** Returns the sets of errors that explain a balance exactly, each with the state of the books that it applies to. */
  #fitting(said: Money, group: Iterable<readonly Candidate[]>): readonly Explanation[] {
    const found: Explanation[] = [];
    for (const causes of group) {
      const world = this.#worlds.find(({ balance }) =>
        causes.reduce((total, { by }) => total.plus(by), balance).equals(said),
      );
      if (world) found.push({ world, causes });
      if (found.length >= MAX_EXPLANATIONS) break;
    }
    return found;
  }

  #note(call: LoggedCall, said: Money, explanations: readonly Explanation[]): readonly World[] {
    const [{ world, causes } = { world: beginning(), causes: [] }, ...others] = explanations;
    const after = this.#lastRead;
    const fixed = new Set(causes.flatMap(({ fixes }) => (fixes === undefined ? [] : [fixes])));
    for (const [index, deviation] of this.#deviations.entries()) {
      if (fixed.has(deviation.index)) this.#deviations[index] = { ...deviation, fixedBy: call.number };
    }
    const faults = causes.filter(({ fixes }) => fixes === undefined);
    const change = faults.length === 0 && causes.length > 0 ? null : said.minus(world.balance);
    if (change !== null) {
      const named = faults.map(causeOf);
      const by = faults.length === 0 ? change : faults.reduce((sum, fault) => sum.plus(fault.by), Money.zero);
      this.#deviations.push({
        index: this.#deviations.length,
        call,
        said,
        expected: world.balance,
        by,
        causes: named,
        otherCauses: [
          ...others.map((other) => other.causes.map(causeOf)),
          ...this.#earlierErrors({ by, causes: named }),
        ],
        after,
        fixedBy: null,
      });
    }
    return distinct(explanations.map((one) => ({ ...one.world, balance: said })));
  }

  /**
   * Returns one possible error for each bet whose refund was answered 200: the operator took the bet after it had answered the
   * refund.
   */
  #lateDebits(): readonly Candidate[] {
    return [...this.#ledger.transactions()]
      .filter(
        ({ call, key, state }) =>
          call === 'bet' && state !== 'accepted' && this.#worlds.some((world) => isClosed(world, key)),
      )
      .map((transaction) => ({
        rule: undoneRule(transaction),
        transaction,
        by: (transaction.amount ?? Money.zero).negated(),
        text: 'the bet was taken after its refund had been answered 200',
      }));
  }

  #anyTransaction(): Transaction | undefined {
    for (const transaction of this.#ledger.transactions()) return transaction;
    return undefined;
  }

  #fixes(): readonly Candidate[] {
    return this.#deviations
      .filter(({ fixedBy }) => fixedBy === null)
      .flatMap(({ index, by, causes }) => {
        const transaction = causes[0]?.transaction ?? this.#anyTransaction();
        return transaction
          ? [{ rule: null, transaction, by: by.negated(), text: 'it was corrected', fixes: index }]
          : [];
      });
  }
}

/** A possible state of the books that a balance rejected, and the error of the operator that would explain this balance. */
interface Rejected {
  /** The keys of the transactions that are carried out in this state, but not in the state that has exactly this balance, or vice versa. */
  readonly transactions: ReadonlySet<string>;
  readonly candidate: Candidate;
}

/** A set of errors that explains a balance exactly, and the state of the books before them. */
interface Explanation {
  readonly world: World;
  readonly causes: readonly Candidate[];
}

/** Maximum number of explanations that are kept for one balance. */
const MAX_EXPLANATIONS = 20;

function causeOf({ repeat, rule, text, transaction, by }: Candidate): Cause {
  return { rule, text, transaction, by, repeat: repeat ?? null };
}

/**
 * Maximum number of possible errors (candidates) that are kept between two balances in replies. The latest are kept.
 */
const MAX_CANDIDATES = 400;

/** Maximum number of balances that are kept from replies that came while other calls were in flight. */
const MAX_UNREAD = 100;

/**
 * Maximum number of calls with an unknown outcome that the operator may have carried out between two replies. Combinations of more
 * calls are not tried.
 */
const MAX_COMBINED = 3;

/**
 * True if the reply to a call may be the stored reply to an earlier attempt. False if all earlier replies are known and none of
 * them has the balance of this reply.
 */
function isStored(call: LoggedCall, { attempts }: Transaction): boolean {
  const earlier = attempts.filter(({ number, done }) => number < call.number && done !== 'no');
  const { balance } = call;
  if (earlier.length === 0 || balance === null) return earlier.length > 0;
  return earlier.some(
    ({ done, balance: before }) => done !== 'yes' || before === null || isSameButForRest(before, balance),
  );
}

/**
 * Assumes that the operator carried out a call with an unknown outcome. Returns the state of the books (the world) after this call.
 * Returns an empty list if the operator cannot have carried out the call.
 */
function carriedOut(world: World, { call, key, amount, origTxID }: Transaction, bets: Bets): readonly World[] {
  switch (call) {
    case 'bet':
      if (isApplied(world, key) || isClosed(world, key)) return [];
      return [applying(world, key, (amount ?? Money.zero).negated())];
    case 'win':
      return isApplied(world, key) ? [] : [applying(world, key, amount ?? Money.zero)];
    case 'refund': {
      const bet = origTxID === null ? undefined : bets.get(origTxID);
      if (!bet || isClosed(world, bet.key)) return [];
      return [closing(world, bet.key, isApplied(world, bet.key) ? (bet.amount ?? Money.zero) : Money.zero)];
    }
  }
}
