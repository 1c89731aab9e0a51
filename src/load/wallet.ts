import type { TransactionCall } from '../contract/call-name.ts';
import { Money } from '../contract/money.ts';
import { JUDGE_TRANSACTIONS } from '../ledger/policies.ts';
import { type CallFacts, nextState, reversalOf, type TransactionState, type WinFacts } from '../ledger/transaction.ts';
import { type Answer, mayHaveBeenProcessed } from '../reply/classify.ts';

/** One bet, win or refund of a load test. */
export interface LoadTransaction {
  /** The number of the transaction in its run. The journal uses this number instead of the txID. */
  readonly number: number;
  readonly call: TransactionCall;
  readonly sessionID: string;
  /** The index of the session in the journal's first event. */
  readonly sessionIndex: number;
  readonly txID: string;
  readonly roundID: string;
  readonly amount: Money;
  /** The amount as it is sent. */
  readonly amountText: string;
  /** The campaign of a free bet or win. */
  readonly frID: string | undefined;
  readonly isFree: boolean;
  /** For a refund: its bet. */
  readonly bet: LoadTransaction | undefined;
  /** For a win: true if a bet of its round was accepted. */
  readonly hasBet: boolean;
  state: TransactionState;
  /** Number of times that the call was sent. */
  copies: number;
  /** Number of copies that are in flight. */
  inFlight: number;
  /** The answer that counts if the operator accepts no copy in flight. Undefined if there is no such answer yet. */
  provisional: { readonly answer: Answer; readonly status: number | undefined } | undefined;
  /** True if a copy was sent before the first one was answered. */
  isCopiedAtOnce: boolean;
  /** True if the call was sent again at the end of the test. */
  isRepeatedAtEnd: boolean;
  /** True if croupier closed the connection of the call on purpose. */
  isBroken: boolean;
  /** The status of the first reply. Undefined while there is no reply. */
  status: number | undefined;
  /** The operator's own txID in the first reply that accepted the call. */
  operatorTxID: string | undefined;
  /** True if a repetition was answered with another txID, so the operator has processed the call again. */
  isProcessedAgain: boolean;
  /** True if another call that moves money was in flight for the same wallet at the same moment. */
  isOverlapped: boolean;
  /** The times at which the call was first sent, and last answered, in milliseconds of the run's clock. Failed repetitions do not count. */
  sentAt: number;
  endedAt: number;
  /** The time at which the call was first sent, in milliseconds from the start of the test. */
  sentAtMs: number;
}

/** The balances that a reply may contain. */
export interface BalanceRange {
  readonly low: Money;
  readonly high: Money;
  /** True if no other call that moves money was in flight at the same time. Then `low` and `high` are the same balance. */
  readonly isExact: boolean;
  /**
   * Every possible balance from `low` to `high`. Undefined if there may be other balances, or if there are too many to compute them
   * all.
   */
  readonly balances: readonly Money[] | undefined;
}

/**
 * The state of a wallet when a call was sent. From this state, `rangeOf` computes the range of balances that the reply may show.
 */
export interface Departure {
  readonly expected: Money;
  /** The bets and wins of the wallet that were open. */
  readonly open: readonly LoadTransaction[];
  /** Number of transactions of the test that were sent before, the call itself included. */
  readonly begun: number;
}

/** A bet that was refunded. For a while, the balance of a reply may still contain its debit. */
interface Fading {
  readonly bet: LoadTransaction;
  readonly until: number;
}

/**
 * The effect of a call for which two results are possible: the money moved, or it did not. For free bets and free wins, the
 * operator may choose. A call that was answered 200 with the body of an error may also have either result.
 */
interface EitherEffect {
  readonly transaction: LoadTransaction;
  readonly delta: Money;
}

/**
 * Maximum number of uncertain effects for which croupier tries every combination. When there could be more of them, the player
 * pauses for a quiet point.
 */
const MAX_EITHER = 6;

/** Maximum number of open calls for which every possible balance of a reply is computed. */
const MAX_OPEN = 5;

const NONE_OPEN: readonly LoadTransaction[] = [];

/** Maximum number of refunded bets that are kept, because a faulty operator may take their money late. */
const MAX_OLDER_REFUNDED = 8;

/** The facts of the usual bets and wins. Nearly all calls share these objects, so that they need no objects of their own. */
const PLAIN_BET: CallFacts = { call: 'bet', isFree: false, mustBeDeclined: false };
const FREE_BET: CallFacts = { call: 'bet', isFree: true, mustBeDeclined: false };
const PLAIN_WIN: WinFacts = { call: 'win', isFree: false, hasBet: true, isPaidAlready: false, mustBeAccepted: true };

/**
 * The exact account of one wallet, computed from the operator's answers. The computing time for a call does not depend on the
 * length of the test, because the account holds only these sums:
 *
 * - `expected` holds the effects that have certainly happened
 * - the open bets and wins are the calls in flight and the calls with an unknown outcome. Mostly there are none
 *
 * While calls are open, the operator has processed some of them, and others not yet. A reply must show a balance that this allows. At
 * a quiet point nothing is open, and the balance must be exactly `expected`.
 */
export class Wallet {
  #expected: Money;
  /** The bets and wins whose effect is not certain yet, in no order. There are only a few of them at a time. */
  readonly #open: LoadTransaction[] = [];
  /** Number of transactions that were sent before the window began. */
  #begunBefore = 0;
  #fading: Fading[] = [];
  #either: EitherEffect[] = [];
  /** The transactions after the last quiet point at which the balance was right. */
  #window: LoadTransaction[] = [];
  /** Number of transactions at the beginning of the window after which a reply showed the right balance. */
  #confirmed = 0;
  /** The transactions of the window before. A faulty operator may still change their effects now. */
  #earlier: readonly LoadTransaction[] = [];
  /** The latest refunded bets of the windows before `#earlier`. */
  #olderRefunded: readonly LoadTransaction[] = [];
  /** Earlier transactions that were sent again since the last quiet point. */
  #repeated: LoadTransaction[] = [];
  /** The transactions in flight, in no order. There are only a few of them at a time. */
  readonly #inFlight: LoadTransaction[] = [];
  readonly #unknown = new Set<LoadTransaction>();
  /** Sums over the whole test. */
  staked = Money.zero;
  won = Money.zero;
  refunded = Money.zero;

  constructor(opening: Money) {
    this.#expected = opening;
  }

  get expected(): Money {
    return this.#expected;
  }

  get window(): readonly LoadTransaction[] {
    return this.#window;
  }

  /**
   * The transactions that may have made the balance wrong: those after the last reply that was exactly right, and earlier bets
   * whose debit may come late.
   */
  get suspects(): readonly LoadTransaction[] {
    return [...this.#window.slice(0, this.#confirmed).filter(mayComeLate), ...this.#window.slice(this.#confirmed)];
  }

  /**
   * Notes that a reply has shown the right balance while nothing was open. This says nothing about the call of the reply itself: a
   * faulty operator may compute its balance, and then not store it.
   *
   * @param own the transaction of the reply; undefined for a balance call
   */
  confirm(own: LoadTransaction | undefined): void {
    if (this.#inFlight.length > 0 || this.#unknown.size > 0 || this.#either.length > 0) return;
    this.#confirmed = own ? Math.max(this.#confirmed, this.#window.lastIndexOf(own)) : this.#window.length;
  }

  /** Earlier transactions that were sent again since the last quiet point. A faulty operator may have processed them again. */
  get repeated(): readonly LoadTransaction[] {
    return this.#repeated;
  }

  /** The transactions of the window before. */
  get earlier(): readonly LoadTransaction[] {
    return this.#earlier;
  }

  /** The refunded bets of the window before. A faulty operator may take their money late, although the contract forbids it. */
  get lateBets(): readonly LoadTransaction[] {
    return this.#earlier.filter(({ call, state }) => call === 'bet' && state === 'reversed');
  }

  /** The latest refunded bets of still older windows, for the same reason. */
  get olderRefunded(): readonly LoadTransaction[] {
    return this.#olderRefunded;
  }

  /** The transactions that must be refunded or sent again until they are answered 200. */
  get unknown(): ReadonlySet<LoadTransaction> {
    return this.#unknown;
  }

  /** True if nothing is in flight and no outcome is unknown, so that a read must show one exact balance. */
  get isQuiet(): boolean {
    return this.#inFlight.length === 0 && this.#unknown.size === 0;
  }

  get hasTooManyEither(): boolean {
    return this.#either.length >= MAX_EITHER;
  }

  /** The lowest balance that is possible, if every open call takes money. */
  get lowest(): Money {
    return this.#open.length === 0 ? this.#expected : this.#expected.minus(sumOf('bet', this.#open));
  }

  /** Notes that a call is sent. @returns the state before the call */
  depart(transaction: LoadTransaction | undefined, now: number): Departure {
    while (this.#fading.length > 0 && (this.#fading[0] as Fading).until <= now) {
      const [{ bet }] = this.#fading.splice(0, 1) as [Fading];
      this.#close(bet);
    }
    const open = this.#open.length === 0 ? NONE_OPEN : this.#open.slice();
    if (transaction) {
      if (transaction.copies === 0) {
        this.#window.push(transaction);
        if (movesMoney(transaction)) this.#open.push(transaction);
      }
      if (transaction.copies > 0 && !this.#window.includes(transaction)) this.#repeated.push(transaction);
      transaction.copies += 1;
      if (transaction.inFlight > 0) transaction.isCopiedAtOnce = true;
      for (const other of this.#inFlight) {
        if (other === transaction) continue;
        other.isOverlapped = true;
        transaction.isOverlapped = true;
      }
      if (transaction.inFlight === 0) this.#inFlight.push(transaction);
      transaction.inFlight += 1;
    }
    return { expected: this.#expected, open, begun: this.#begun };
  }

  /** Number of transactions of the test that were sent so far. */
  get #begun(): number {
    return this.#begunBefore + this.#window.length;
  }

  /** Returns the balances that the reply to an accepted bet or win may show; undefined stands for a balance call. */
  rangeOf(departure: Departure, transaction: LoadTransaction | undefined): BalanceRange {
    const middle = withEffect(departure.expected, transaction);
    if (this.#hasOnlyOwnEffect(departure)) return { low: middle, high: middle, isExact: true, balances: undefined };
    // At a quiet point no call is in flight. So the transactions that were sent after this call are all in the window.
    const open = departure.open.filter(movesMoney);
    for (let at = departure.begun - this.#begunBefore; at < this.#window.length; at += 1) {
      const later = this.#window[at] as LoadTransaction;
      if (movesMoney(later)) open.push(later);
    }
    const either = this.#either.reduce((sum, { delta }) => sum.plus(delta.absolute()), Money.zero);
    const isCertain = either.isZero();
    return {
      low: middle.minus(sumOf('bet', open)).minus(either),
      high: middle.plus(sumOf('win', open)).plus(either),
      isExact: open.length === 0 && isCertain,
      balances: isCertain && open.length <= MAX_OPEN ? balancesWith(middle, open) : undefined,
    };
  }

  /** True if no other call that moves money was in flight at the same time as this call. */
  #hasOnlyOwnEffect({ open, begun }: Departure): boolean {
    return begun === this.#begun && this.#either.length === 0 && open.length === 0;
  }

  /**
   * Applies the answer to a transaction. While copies of the call are in flight, only a success changes the state, because an
   * operator may decline one copy while it is still processing the other copy.
   *
   * @param fadeUntil until this time, a balance may still contain the debit of a refunded bet
   * @param now the time of the answer
   */
  answered(
    transaction: LoadTransaction,
    given: NonNullable<LoadTransaction['provisional']>,
    fadeUntil: number,
    now: number,
  ): void {
    transaction.inFlight -= 1;
    if (transaction.inFlight === 0) remove(transaction, this.#inFlight);
    const before = transaction.state;
    const isSettled = before === 'applied' || before === 'reversed';
    // If a repetition of a settled call fails, the call was processed earlier.
    if (!isSettled || given.answer === 'accepted') transaction.endedAt = now;
    if (isSettled) return;
    const answer = decisive(given, transaction.provisional);
    if (given.answer !== 'accepted' && transaction.inFlight > 0) {
      transaction.provisional = answer;
      return;
    }
    transaction.provisional = undefined;
    transaction.status ??= answer.status;
    const facts = this.#factsOf(transaction);
    const { state, money } = nextState(before, facts, answer.answer, answer.status, JUDGE_TRANSACTIONS);
    transaction.state = state;
    const isUnknown = state === 'unknown' || (transaction.call !== 'bet' && state !== 'applied');
    if (isUnknown) this.#unknown.add(transaction);
    else if (this.#unknown.size > 0) this.#unknown.delete(transaction);
    switch (money) {
      case 'moves':
      case 'settles':
        this.#apply(transaction);
        break;
      case 'gives-back':
        this.#giveBack(transaction, fadeUntil);
        break;
      case 'either':
      case 'undecided':
        this.#close(transaction);
        if (!transaction.amount.isZero()) this.#either.push({ transaction, delta: deltaOf(transaction) });
        break;
      case 'nothing':
        if (!isUnknown) this.#close(transaction);
        break;
      case 'lost':
      case 'unanswered':
        break;
    }
  }

  #factsOf({ call, isFree, bet, hasBet }: LoadTransaction): CallFacts {
    switch (call) {
      case 'bet':
        return isFree ? FREE_BET : PLAIN_BET;
      case 'win':
        return !isFree && hasBet ? PLAIN_WIN : { ...PLAIN_WIN, isFree, hasBet };
      case 'refund':
        return { call, target: bet && { state: bet.state, isRegular: true }, mustBeAccepted: true };
    }
  }

  /** Removes a transaction from the open ones. */
  #close(transaction: LoadTransaction): void {
    remove(transaction, this.#open);
  }

  /** Makes the effect of a transaction certain. */
  #apply(transaction: LoadTransaction): void {
    this.#close(transaction);
    const { call, amount } = transaction;
    if (amount.isZero()) return;
    if (call === 'bet') {
      this.#expected = this.#expected.minus(amount);
      this.staked = this.staked.plus(amount);
    } else {
      this.#expected = this.#expected.plus(amount);
      this.won = this.won.plus(amount);
    }
  }

  #giveBack({ bet }: LoadTransaction, fadeUntil: number): void {
    if (!bet) return;
    const { state, money } = reversalOf(bet.state, { isRegular: true, isSameWallet: true }, JUDGE_TRANSACTIONS);
    this.#unknown.delete(bet);
    bet.state = state;
    this.refunded = this.refunded.plus(bet.amount);
    // An operator may carry out the late bet and reverse it a moment later, so a reply may show the debit for a while.
    if (money === 'settles') this.#fading.push({ bet, until: fadeUntil });
    else if (money === 'moves') this.#expected = this.#expected.plus(bet.amount);
  }

  /**
   * Compares a balance that was read at a quiet point with the account.
   *
   * @returns the difference. Zero if the balance is possible. For some calls, the operator may choose whether the money moves. If
   * one combination of these choices gives this balance, the difference is zero too
   */
  differenceAt(shown: Money): Money {
    for (let mask = 0; mask < 2 ** this.#either.length; mask += 1) {
      const moved = this.#either.reduce(
        (sum, { delta }, bit) => ((mask >> bit) % 2 === 1 ? sum.plus(delta) : sum),
        Money.zero,
      );
      if (this.#expected.plus(moved).equals(shown)) return Money.zero;
    }
    return shown.minus(this.#expected);
  }

  /** The operator may still be reversing the debits of refunded bets. True if these debits explain the balance. */
  mayStillShow(shown: Money): boolean {
    const debits = this.#window.filter(({ call, state }) => call === 'bet' && state === 'reversed');
    const missing = this.#expected.minus(shown);
    if (debits.some(({ amount }) => amount.equals(missing))) return true;
    const all = debits.reduce((sum, { amount }) => sum.plus(amount), Money.zero);
    return debits.length > 1 && !missing.isNegative() && missing.compare(all) <= 0;
  }

  /** Accepts the balance of a quiet point as right, and begins a new window. */
  take(shown: Money): void {
    this.#expected = shown;
    this.#either = [];
    const { lateBets } = this;
    if (lateBets.length > 0) this.#olderRefunded = [...this.#olderRefunded, ...lateBets].slice(-MAX_OLDER_REFUNDED);
    this.#earlier = this.#window;
    this.#begunBefore = this.#begun;
    this.#window = [];
    this.#repeated = [];
    this.#confirmed = 0;
  }
}

/** Removes a transaction from a list that has no order, if it is in the list. */
function remove(transaction: LoadTransaction, list: LoadTransaction[]): void {
  const at = list.indexOf(transaction);
  if (at < 0) return;
  const last = list.pop();
  if (last !== undefined && last !== transaction) list[at] = last;
}

/** Returns the sum of the amounts of all bets or all wins in a list. */
function sumOf(call: 'bet' | 'win', transactions: readonly LoadTransaction[]): Money {
  let sum = Money.zero;
  for (const one of transactions) if (one.call === call) sum = sum === Money.zero ? one.amount : sum.plus(one.amount);
  return sum;
}

/** Returns the balance after a bet took its amount, or a win added its amount. */
function withEffect(balance: Money, transaction: LoadTransaction | undefined): Money {
  if (!transaction || transaction.amount.isZero()) return balance;
  return transaction.call === 'bet' ? balance.minus(transaction.amount) : balance.plus(transaction.amount);
}

/** True for a bet or win of a higher amount than 0. */
function movesMoney({ call, amount }: LoadTransaction): boolean {
  return call !== 'refund' && !amount.isZero();
}

/** Returns the balances that are possible if each of the open transactions has taken effect or not. */
function balancesWith(balance: Money, open: readonly LoadTransaction[]): readonly Money[] {
  const balances = [balance];
  for (const one of open)
    for (let at = balances.length - 1; at >= 0; at -= 1) balances.push(withEffect(balances[at] as Money, one));
  return balances;
}

function mayComeLate({ call, state }: LoadTransaction): boolean {
  return call === 'bet' && state !== 'applied';
}

/** Returns the answer that counts among two copies: a success, then an unknown outcome, then a decline. */
function decisive(
  given: NonNullable<LoadTransaction['provisional']>,
  earlier: LoadTransaction['provisional'],
): NonNullable<LoadTransaction['provisional']> {
  if (!earlier || given.answer === 'accepted') return given;
  return mayHaveBeenProcessed(earlier.answer, null) ? earlier : given;
}

/**
 * Returns the signed amount by which a transaction changes the balance. A refund changes the balance only together with its
 * bet.
 */
function deltaOf({ call, amount }: LoadTransaction): Money {
  return call === 'bet' ? amount.negated() : call === 'win' ? amount : Money.zero;
}
