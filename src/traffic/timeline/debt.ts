import { Money } from '../../contract/money.ts';
import type { Side } from '../logged-exchange.ts';
import type { Deviation } from './deviation.ts';
import { isDeclinedTest, type LoggedCall } from './logged-call.ts';
import type { Transaction } from './transaction.ts';
import type { Books } from './wallet-books.ts';
import { isApplied, type World } from './worlds.ts';

/**
 * The kind of a debt. `missing-refund`: the outcome of a bet is unknown, and no refund was sent. `refund-pending`: the
 * refund was not answered 200. `win-pending`: a win was not answered 200.
 * `misbooked`: the balance is wrong, and a known error explains it. `unexplained`: the balance is wrong, and no known
 * error explains it.
 */
type DebtKind = 'missing-refund' | 'refund-pending' | 'win-pending' | 'misbooked' | 'unexplained';

export interface Debt {
  readonly kind: DebtKind;
  readonly transaction: Transaction | null;
  readonly roundID: string | null;
  /** The amount of the bet or win (zero if it is not known), or the size of the error in the balance. */
  readonly amount: Money;
  /**
   * Who must give the amount back to the other side. `nobody` means that no money has to move, for example because the
   * operator did not take the bet or has paid the win. `unknown` means that the logs do not show whether the bet was
   * taken or the win was paid.
   */
  readonly owedBy: 'operator' | 'player' | 'nobody' | 'unknown';
  /** The side that must act next. The service sends a call, or the operator accepts a call or corrects a balance. */
  readonly toAct: Side;
  readonly deviation: Deviation | null;
}

/** Returns all debts that are open after the last call. */
export function debtsOf(books: Books): readonly Debt[] {
  const refunds = Map.groupBy(
    books.transactions.filter((one) => one.call === 'refund' && !one.attempts.every(isDeclinedTest)),
    ({ origTxID }) => origTxID,
  );
  const bets = books.transactions
    .filter(({ call }) => call === 'bet')
    .flatMap((bet) => betDebt(bet, bet.txID === null ? [] : (refunds.get(bet.txID) ?? []), books));
  const betIDs = new Set(
    books.transactions.flatMap(({ call, txID }) => (call === 'bet' && txID !== null ? [txID] : [])),
  );
  const wins = books.transactions
    // A win that reuses the txID of a bet does not have to be paid.
    .filter(({ call, txID }) => call === 'win' && !(txID !== null && betIDs.has(txID)))
    .flatMap((win) => winDebt(win, books));
  const wrong = books.deviations.filter(({ fixedBy }) => fixedBy === null).map(deviationDebt);
  return [...bets, ...wins, ...wrong];
}

/**
 * Returns the change of the balance when all open calls have been sent and answered, for one possible state of the
 * wallet (a world).
 */
export function stillToCome(world: World, debts: readonly Debt[]): Money {
  return debts.reduce((sum, debt) => sum.plus(comingOf(debt, world)), Money.zero);
}

function comingOf({ kind, transaction, amount }: Debt, world: World): Money {
  if (transaction === null) return Money.zero;
  switch (kind) {
    case 'missing-refund':
    case 'refund-pending':
      return isApplied(world, transaction.key) ? amount : Money.zero;
    case 'win-pending':
      return isApplied(world, transaction.key) ? Money.zero : amount;
    case 'misbooked':
    case 'unexplained':
      return Money.zero;
  }
}

function betDebt(bet: Transaction, refunds: readonly Transaction[], books: Books): Debt[] {
  if (refunds.some(({ state }) => state === 'accepted')) return [];
  const isDue = bet.state === 'failed' || refunds.some(({ state }) => state !== 'unknown');
  // If the operator did not take the bet, its refund gives nothing back, so nothing is owed.
  if (!isDue || bet.state === 'declined') return [];
  const kind = refunds.length === 0 ? 'missing-refund' : 'refund-pending';
  const taken = inAll(books, bet);
  const owedBy = taken === 'yes' ? 'operator' : taken === 'no' ? 'nobody' : 'unknown';
  // A refund without a reply must be sent again, so the service must act first.
  const isRefused = refunds.some(({ state, attempts }) => state === 'declined' || attempts.some(hasStatus));
  return [debt(kind, bet, owedBy, isRefused ? 'operator' : 'service')];
}

function hasStatus({ status }: LoggedCall): boolean {
  return status !== null;
}

function winDebt(win: Transaction, books: Books): Debt[] {
  if (win.attempts.every(isDeclinedTest)) return [];
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
    kind: cause ? 'misbooked' : 'unexplained',
    transaction: cause?.transaction ?? null,
    roundID: cause?.transaction.roundID ?? null,
    amount: deviation.by.absolute(),
    owedBy: deviation.by.isNegative() ? 'operator' : 'player',
    toAct: 'operator',
    deviation,
  };
}
