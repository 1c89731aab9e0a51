import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { Deviation } from '../books/deviation.ts';
import type { Books } from '../books/wallet-books.ts';
import { isApplied, type World } from '../books/worlds.ts';
import { isRightlyDeclined, type LoggedCall } from '../calls/logged-call.ts';
import { type Bets, betsOf, settlingWin, type Transaction } from '../calls/transaction.ts';
import type { Side } from '../logged-exchange.ts';
import { isSettledOtherwise } from './excuses.ts';
import { isUndueWin } from './service-fault.ts';

/**
 * The kind of a debt:
 * - `missing-refund`: the outcome of a bet is unknown, and no refund was sent.
 * - `refund-pending`: the refund was not answered 200.
 * - `win-pending`: a win was not answered 200.
 * - `declined-bet`: the service counts the bet as declined, but the operator took the money.
 * - `misbooked`: the balance is wrong, and a known error explains it.
 */
type DebtKind = 'missing-refund' | 'refund-pending' | 'win-pending' | 'declined-bet' | 'misbooked';

export interface Debt {
  readonly kind: DebtKind;
  readonly transaction: Transaction | null;
  readonly roundID: string | null;
  /** The amount of the bet or win (zero if it is not known), or the size of the error in the balance. */
  readonly amount: Money;
  /**
   * Who must give the amount to the other side. `nobody` means that no money has to move, for example because the operator did not
   * take the bet or has paid the win. `unknown` means that the logs do not show whether the bet was taken or the win was paid.
   */
  readonly owedBy: 'operator' | 'player' | 'nobody' | 'unknown';
  /** The side that must act next. The service sends a call, or the operator accepts a call or corrects a balance. */
  readonly toAct: Side;
  readonly deviation: Deviation | null;
  /**
   * The rules that a run of croupier found broken, if they are other rules than those of the errors in `deviation`. The finding of the
   * run is right.
   */
  readonly runRules?: readonly RuleId[];
}

/** Returns all debts that are open after the last call. */
export function debtsOf(books: Books): readonly Debt[] {
  const all = betsOf(books.transactions);
  const refunds = Map.groupBy(
    books.transactions.filter(
      (one) =>
        one.call === 'refund' &&
        !one.attempts.every(isRightlyDeclined) &&
        !isSettledOtherwise(one, books.transactions, all),
    ),
    ({ origTxID }) => origTxID,
  );
  const bets = books.transactions
    .filter(({ call }) => call === 'bet')
    .flatMap((bet) => betDebt(bet, bet.txID === null ? [] : (refunds.get(bet.txID) ?? []), books));
  const rounds = Map.groupBy(books.transactions, ({ roundID }) => roundID);
  const betIDs = new Set(
    books.transactions.flatMap(({ call, txID }) => (call === 'bet' && txID !== null ? [txID] : [])),
  );
  const wins = books.transactions
    // If a win has the same txID as a bet, the operator does not have to pay this win.
    .filter(({ call, txID }) => call === 'win' && !(txID !== null && betIDs.has(txID)))
    .filter((win) => !isUndueWin(win, rounds.get(win.roundID) ?? []))
    .flatMap((win) => winDebt(win, books));
  const wrong = books.deviations
    .filter(({ fixedBy, causes }) => fixedBy === null && causes.length > 0)
    .map(deviationDebt);
  return [...bets, ...wins, ...wrong];
}

/**
 * Computes for one possible state of the wallet (a world) how much the balance still changes when all open calls have been sent and
 * answered.
 */
export function stillToCome(world: World, debts: readonly Debt[]): Money {
  return debts.reduce((sum, debt) => sum.plus(comingOf(debt, world)), Money.zero);
}

function comingOf({ kind, transaction, amount }: Debt, world: World): Money {
  if (transaction === null) return Money.zero;
  switch (kind) {
    case 'missing-refund':
    case 'refund-pending':
    case 'declined-bet':
      return isApplied(world, transaction.key) ? amount : Money.zero;
    case 'win-pending':
      return isApplied(world, transaction.key) ? Money.zero : amount;
    case 'misbooked':
      return Money.zero;
  }
}

function betDebt(bet: Transaction, sent: readonly Transaction[], books: Books): Debt[] {
  // After the win of the round, the service must not refund the bet. So the operator owes nothing for such a refund.
  const refunds = sent.filter(({ attempts }) => !settlingWin(bet, books.transactions, attempts));
  if (refunds.some(({ state }) => state === 'accepted')) return [];
  // If a bet was answered with another status than 200 or 500, the service counts the bet as declined, and sends no refund.
  if (bet.state === 'declined' && refunds.length === 0)
    return inAll(books, bet) === 'yes' ? [debt('declined-bet', bet, 'operator', 'operator')] : [];
  // The service knows that the bet was accepted, so it must not refund the bet. The operator may refuse such a refund.
  if (bet.state === 'accepted' && bet.attempts.some(isAcceptedForService)) return [];
  const isDue = bet.state === 'failed' || refunds.some(({ state }) => state !== 'unknown');
  // If the operator did not take the bet, a refund would give nothing back. So nothing is owed.
  if (!isDue || bet.state === 'declined') return [];
  // If the reply to the refund was not logged, the refund may have been answered 200.
  if (refunds.some(({ state }) => state === 'unknown')) return [];
  const kind = refunds.length === 0 ? 'missing-refund' : 'refund-pending';
  const taken = inAll(books, bet);
  const owedBy = taken === 'yes' ? 'operator' : taken === 'no' ? 'nobody' : 'unknown';
  // A refund without a reply must be sent again, so the service must act first.
  const isRefused = refunds.some(({ state, attempts }) => state === 'declined' || attempts.some(hasStatus));
  return [debt(kind, bet, owedBy, isRefused ? 'operator' : 'service')];
}

const NO_BETS: Bets = new Map();

/** True if the service's own log shows that the service got the reply 200. */
function isAcceptedForService({ ending, seen: { exchange } }: LoggedCall): boolean {
  const { side, answer, isOfRun } = exchange;
  return ending === 'accepted' && side === 'service' && answer.kind !== 'unknown' && isOfRun !== true;
}

function hasStatus({ status }: LoggedCall): boolean {
  return status !== null;
}

function winDebt(win: Transaction, books: Books): Debt[] {
  if (win.attempts.every(isRightlyDeclined) || isSettledOtherwise(win, books.transactions, NO_BETS)) return [];
  // A win without a known amount cannot be counted.
  if ((win.state !== 'failed' && win.state !== 'declined') || win.amount === null) return [];
  const paid = inAll(books, win);
  const owedBy = win.amount.isZero() || paid === 'yes' ? 'nobody' : paid === 'no' ? 'operator' : 'unknown';
  return [debt('win-pending', win, owedBy, win.state === 'declined' ? 'operator' : 'service')];
}

function debt(kind: DebtKind, transaction: Transaction, owedBy: Debt['owedBy'], toAct: Debt['toAct']): Debt {
  const { amount, roundID } = transaction;
  return { kind, transaction, roundID, amount: amount ?? Money.zero, owedBy, toAct, deviation: null };
}

function inAll({ worlds, unknown }: Books, { key }: Transaction): 'yes' | 'no' | 'unknown' {
  if (unknown !== null) return 'unknown';
  if (worlds.every((world) => isApplied(world, key))) return 'yes';
  return worlds.some((world) => isApplied(world, key)) ? 'unknown' : 'no';
}

function deviationDebt(deviation: Deviation): Debt {
  const [cause] = deviation.causes;
  return {
    kind: 'misbooked',
    transaction: cause?.transaction ?? null,
    roundID: cause?.transaction.roundID ?? null,
    amount: deviation.by.absolute(),
    owedBy: deviation.by.isNegative() ? 'operator' : 'player',
    toAct: 'operator',
    deviation,
  };
}
