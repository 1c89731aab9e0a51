import { Money } from '../../contract/money.ts';
import { type Debt, debtsOf, stillToCome } from './debt.ts';
import type { LoggedCall } from './logged-call.ts';
import { type Bets, betsOf, type Transaction } from './transaction.ts';
import { type Books, computeBooks } from './wallet-books.ts';
import { isApplied, type World } from './worlds.ts';

/** Sums of a round or a wallet. A sum is null if these logs do not show it. */
interface Sums {
  /** The sum after everything that is owed has been done. */
  readonly should: Money | null;
  /** The sum in the operator's books after the last call. */
  readonly booked: Money | null;
  /** `booked` minus `should`. It is negative if the player has too little. */
  readonly difference: Money | null;
}

export interface RoundVerdict extends Sums {
  readonly roundID: string | null;
  /**
   * `open`: a bet was accepted, but no win or refund of the round is known. `nothing`: no bet of the round was
   * accepted.
   */
  readonly state: 'settled' | 'refunded' | 'open' | 'owing' | 'nothing' | 'unknown';
  readonly bets: Money | null;
  readonly wins: Money | null;
  readonly debts: readonly Debt[];
}

/** The owner of a wallet. Fields are null if they are unknown. */
export interface Owner {
  /** The name of the wallet: the player, or the session if the player is not known. */
  readonly wallet: string | null;
  readonly player: string | null;
  readonly currency: string | null;
}

export interface WalletVerdict extends Sums, Owner {
  readonly sessions: readonly string[];
  readonly books: Books;
  readonly rounds: readonly RoundVerdict[];
  readonly debts: readonly Debt[];
  /** The reasons why some values are unknown, each as a clause. */
  readonly unknowns: readonly string[];
}

/** Computes the verdict on one wallet from all its calls, which must be in order of time. */
export function judgeWallet(owner: Owner, calls: readonly LoggedCall[]): WalletVerdict {
  const books = computeBooks(calls);
  const debts = debtsOf(books);
  const deviations = books.deviations.filter(({ fixedBy }) => fixedBy === null);
  const off = deviations.reduce((sum, { by }) => sum.plus(by), Money.zero);
  const isComputed = books.unknown === null;
  const balances = isComputed && books.isAnchored ? books.worlds.map(({ balance }) => balance) : [];
  const shoulds =
    isComputed && books.isAnchored
      ? books.worlds.map((world) => world.balance.minus(off).plus(stillToCome(world, debts)))
      : [];
  const differences = isComputed ? books.worlds.map((world) => off.minus(stillToCome(world, debts))) : [];
  const rounds = roundsOf(books, debts);
  return {
    ...owner,
    sessions: [...new Set(calls.flatMap(({ seen }) => seen.sessionID ?? []))],
    books,
    rounds,
    debts,
    should: same(shoulds),
    booked: same(balances),
    difference: same(differences),
    unknowns: unknownsOf(books, rounds, calls),
  };
}

/** Returns the value if it is the same in all possible states of the books; otherwise null. */
function same(values: readonly Money[]): Money | null {
  const [first] = values;
  return first !== undefined && values.every((value) => value.equals(first)) ? first : null;
}

function unknownsOf(books: Books, rounds: readonly RoundVerdict[], calls: readonly LoggedCall[]): readonly string[] {
  const found: string[] = [];
  if (books.unknown !== null) found.push(books.unknown);
  else if (!books.isAnchored) found.push('the logs have no reply with a usable balance');
  const unlogged = calls.filter(
    ({ ending, done, seen }) => ending === 'unknown' && done === 'maybe' && seen.call !== 'balance',
  );
  if (unlogged.length > 0)
    found.push(
      unlogged.length === 1
        ? `the reply to ${numbers(unlogged)} was not logged`
        : `the replies to ${numbers(unlogged)} were not logged`,
    );
  const open = rounds.filter(({ state }) => state === 'open');
  if (open.length > 0) {
    found.push(
      open.length === 1
        ? `the logs have no win for round ${open[0]?.roundID ?? 'without an id'}, so its result is unknown (even a lost round has a win of 0)`
        : `the logs have no win for ${open.length} rounds, so their results are unknown (even a lost round has a win of 0)`,
    );
  }
  return found;
}

function numbers(calls: readonly LoggedCall[]): string {
  const shown = calls.slice(0, 5).map(({ number }) => number);
  const rest = calls.length - shown.length;
  return `${calls.length === 1 ? 'call' : 'calls'} ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function roundsOf(books: Books, debts: readonly Debt[]): readonly RoundVerdict[] {
  const rounds = new Map<string | null, Transaction[]>();
  for (const transaction of books.transactions) {
    const { roundID } = transaction;
    const round = rounds.get(roundID);
    if (round) round.push(transaction);
    else rounds.set(roundID, [transaction]);
  }
  const ofRound = Map.groupBy(
    debts.filter(({ transaction }) => transaction !== null),
    (debt) => debt.roundID,
  );
  const bets = betsOf(books.transactions);
  return [...rounds].map(([roundID, transactions]) =>
    judgeRound(roundID, transactions, books, bets, ofRound.get(roundID) ?? []),
  );
}

function judgeRound(
  roundID: string | null,
  transactions: readonly Transaction[],
  books: Books,
  bets: Bets,
  debts: readonly Debt[],
): RoundVerdict {
  const keys = new Set(transactions.map(({ key }) => key));
  const off = books.deviations
    .filter(({ fixedBy }) => fixedBy === null)
    .flatMap(({ causes }) => causes)
    .filter(({ transaction }) => keys.has(transaction.key))
    .reduce((sum, { by }) => sum.plus(by), Money.zero);
  const booked = (world: World): Money =>
    transactions.reduce((sum, { key, call, amount }) => {
      if (call === 'refund' || !isApplied(world, key)) return sum;
      return call === 'bet' ? sum.minus(amount ?? Money.zero) : sum.plus(amount ?? Money.zero);
    }, off);
  const pending = debts.filter(({ kind }) => kind !== 'misbooked');
  const worlds = books.unknown === null ? books.worlds : [];
  // If a refund names a bet that is not in the logs, the operator may or may not have given money back. `booked` and
  // `should` are then unknown.
  const isWhole = transactions.every(
    ({ call, origTxID, state }) =>
      call !== 'refund' || state === 'declined' || (origTxID !== null && bets.has(origTxID)),
  );
  return {
    roundID,
    state: stateOf(transactions, debts),
    bets: total(transactions, 'bet'),
    wins: total(transactions, 'win'),
    debts,
    booked: isWhole ? same(worlds.map(booked)) : null,
    should: isWhole ? same(worlds.map((world) => booked(world).minus(off).plus(stillToCome(world, pending)))) : null,
    difference: same(worlds.map((world) => off.minus(stillToCome(world, pending)))),
  };
}

/** Sums up all bets or wins that were accepted or must still be accepted. Returns null if an amount is unknown. */
function total(transactions: readonly Transaction[], call: 'bet' | 'win'): Money | null {
  const counted = transactions.filter((one) => one.call === call && (call === 'win' || one.state !== 'declined'));
  return counted.reduce<Money | null>(
    (sum, { amount }) => (sum === null || amount === null ? null : sum.plus(amount)),
    Money.zero,
  );
}

function stateOf(transactions: readonly Transaction[], debts: readonly Debt[]): RoundVerdict['state'] {
  if (debts.length > 0) return 'owing';
  const bets = transactions.filter(({ call }) => call === 'bet');
  const wins = transactions.filter(({ call }) => call === 'win');
  const refunded = new Set(
    transactions.filter(({ call, state }) => call === 'refund' && state === 'accepted').map(({ origTxID }) => origTxID),
  );
  if ([...bets, ...wins].some(({ state }) => state === 'unknown')) return 'unknown';
  if (wins.some(({ state }) => state === 'accepted')) return 'settled';
  const accepted = bets.filter(({ state }) => state === 'accepted' || state === 'failed');
  if (accepted.length > 0) return accepted.every(({ txID }) => refunded.has(txID)) ? 'refunded' : 'open';
  return bets.length > 0 ? 'nothing' : refunded.size > 0 ? 'refunded' : 'unknown';
}
