import { Money } from '../../contract/money.ts';
import { plural } from '../../contract/plural.ts';
import { type Books, computeBooks } from '../books/wallet-books.ts';
import { isApplied, type World } from '../books/worlds.ts';
import { isCut, type LoggedCall } from '../calls/logged-call.ts';
import { mayBeBooked } from '../calls/outcome.ts';
import { type Bets, betsOf, type Transaction } from '../calls/transaction.ts';
import { type Debt, debtsOf, stillToCome } from './debt.ts';
import { undecidedDeclines } from './excuses.ts';
import { gapsOf, lostLinesOf, missingBetsOf, openClause, pendingWithoutBet } from './gaps.ts';
import { cutBodiesOf, lackBodies } from './missing-bodies.ts';
import type { Oddity } from './oddity-type.ts';
import { OtherCalls, otherProvidersOf } from './other-providers.ts';
import type { RoundVerdict, Sums } from './round-verdict.ts';
import { isJudgedInRun, isOfCroupier, winsOfFailedBets } from './service-fault.ts';

/** The owner of a wallet. Fields are null if they are unknown. */
export interface Owner {
  /** The name of the wallet: the player, or the session if the player is not known. */
  readonly wallet: string | null;
  readonly player: string | null;
  readonly currency: string | null;
}

export interface WalletVerdict extends Sums, Owner {
  readonly sessions: readonly string[];
  /** All calls of the wallet in the logs, in order of time. */
  readonly calls: readonly LoggedCall[];
  /** The number of these calls, and the files that have them. */
  readonly evidence: { readonly calls: number; readonly files: readonly string[] };
  readonly books: Books;
  /**
   * The call whose reply has the first balance, if this call or a call before it is about money. No balance shows how the calls up to
   * this one were booked. Null if the first balance came before all calls about money.
   */
  readonly since: Pick<LoggedCall, 'number' | 'atMs'> | null;
  readonly rounds: readonly RoundVerdict[];
  readonly debts: readonly Debt[];
  /**
   * The debts according to the known calls, if something shows that calls are missing in the logs. These debts are not certain,
   * because a missing call may have settled them.
   */
  readonly possibleDebts: readonly Debt[];
  /** The reasons why some values are unknown, each as a clause. */
  readonly unknowns: readonly string[];
  /** Faults of the service: calls that it must not send. They are certain only if nothing is unknown. */
  readonly serviceFaults: readonly Oddity[];
}

/**
 * Computes the verdict on one wallet from all its calls, which must be in order of time. The verdict does not name faults of the
 * service, because calls of other wallets can also show them.
 *
 * @param unread the parts of the logs that were not read and may matter to this wallet, each as a clause
 * @param otherCalls the calls of other providers that may have moved the money of this wallet
 */
export function judgeWallet(
  owner: Owner,
  calls: readonly LoggedCall[],
  unread: readonly string[] = [],
  otherCalls: OtherCalls = new OtherCalls([]),
): WalletVerdict {
  const books = computeBooks(calls);
  const debts = debtsOf(books);
  const deviations = books.deviations.filter(({ fixedBy, causes }) => fixedBy === null && causes.length > 0);
  const off = deviations.reduce((sum, { by }) => sum.plus(by), Money.zero);
  const isComputed = books.unknown === null;
  const balances = isComputed && books.isAnchored ? books.worlds.map(({ balance }) => balance) : [];
  const shoulds =
    isComputed && books.isAnchored
      ? books.worlds.map((world) => world.balance.minus(off).plus(stillToCome(world, debts)))
      : [];
  const differences = isComputed ? books.worlds.map((world) => off.minus(stillToCome(world, debts))) : [];
  const rounds = roundsOf(books, debts);
  const nobodys =
    owner.wallet === null
      ? [
          unread.length === 0 && lackBodies(calls)
            ? 'the bodies of the calls were not logged, so their players, amounts and balances are not known'
            : 'the calls name no player and no session, so croupier cannot assign their money to a wallet',
        ]
      : [];
  const cut = cutBodiesOf(books, calls);
  const unreadBalances = unreadBalancesOf(books, calls);
  const gaps = [
    ...nobodys,
    ...unread,
    ...cut,
    ...gapsOf(books, rounds, calls),
    // A missing call matters only if money is owed: if nothing is owed, all balances are right without this call.
    ...(debts.some(({ owedBy }) => owedBy === 'operator' || owedBy === 'player') ? missingBetsOf(books) : []),
    ...lostLinesOf(books, rounds, debts, calls),
    ...doubtfulBetsOf(books),
    ...otherProvidersOf(debts, calls, otherCalls),
    ...undecidedDeclines(books.transactions, betsOf(books.transactions)),
  ];
  const unknowns = [...gaps, ...unknownsOf(books, rounds, calls)];
  // A round at the end of the logs may not have ended yet. Then the sums contain only the calls so far.
  const isSure = gaps.length === 0;
  // Whether the service counts a call depends on the reply. So a reply that was not logged can change the sums.
  const hasSums = isSure && unloggedOf(calls).length === 0 && !isFreeUnclear(books);
  return {
    ...owner,
    sessions: [...new Set(calls.flatMap(({ seen }) => seen.sessionID ?? []))],
    calls,
    evidence: { calls: calls.length, files: filesOf(calls) },
    books,
    since: sinceOf(books, calls),
    rounds: isSure ? rounds : roundsOf(books, []).map(withoutSums),
    debts: isSure ? debts : [],
    possibleDebts: isSure ? [] : debts,
    should: hasSums ? same(shoulds) : null,
    booked: unread.length + nobodys.length + cut.length + unreadBalances.length === 0 ? same(balances) : null,
    difference: hasSums ? same(differences) : null,
    unknowns,
    serviceFaults: [],
  };
}

/**
 * Adds the faults of the service to a verdict. If the operator carried out a call that the service must not send, the contract does
 * not say which balance is right. Then the correct sums are unknown. The debts of the operator do not depend on these sums.
 */
export function withServiceFaults(verdict: WalletVerdict, serviceFaults: readonly Oddity[]): WalletVerdict {
  // In each fault, the last of the named calls is the call that the service must not send.
  const wrong = new Set(serviceFaults.map(({ calls }) => Math.max(...calls)));
  const perhapsWrong = perhapsSecondWinsOf(verdict, serviceFaults);
  const moved = verdict.calls.filter(
    (call) =>
      (wrong.has(call.number) || perhapsWrong.has(call)) &&
      call.seen.call !== 'balance' &&
      // croupier sends such calls on purpose, in rounds whose money it knows. A HAR of a run shows them like calls of the service.
      call.seen.exchange.isOfWholeRun !== true &&
      call.done !== 'no' &&
      call.amount?.isZero() !== true,
  );
  if (moved.length === 0) return { ...verdict, serviceFaults };
  const rounds = new Set(moved.map(({ seen }) => seen.roundID));
  return {
    ...verdict,
    serviceFaults,
    should: null,
    rounds: verdict.rounds.map((round) => (rounds.has(round.roundID) ? { ...round, should: null } : round)),
  };
}

/**
 * If the service sent two wins in a round, returns the wins of the other rounds: each may also be the second win of its round. A first
 * win of 0 that is not in the logs leaves no trace, because it does not change the balance. If both logs have a win, both would have to
 * lack the win before it, so such a win is left out.
 */
function perhapsSecondWinsOf({ calls }: WalletVerdict, serviceFaults: readonly Oddity[]): ReadonlySet<LoggedCall> {
  const isWin = new Set(calls.flatMap(({ number, seen }) => (seen.call === 'win' ? [number] : [])));
  const second = serviceFaults.filter(
    (fault) => fault.calls.length === 2 && fault.calls.every((one) => isWin.has(one)),
  );
  if (second.length === 0) return new Set();
  const known = new Set(second.flatMap((fault) => fault.calls));
  return new Set(
    calls.filter(
      ({ number, seen, alsoSeen }) =>
        seen.call === 'win' && seen.type !== 'free' && alsoSeen === null && !known.has(number),
    ),
  );
}

/** Computes {@link WalletVerdict.since}. A run of croupier knows the balance before its first call. */
function sinceOf({ firstSaid }: Books, calls: readonly LoggedCall[]): WalletVerdict['since'] {
  const first = firstSaid?.call;
  if (!first) return null;
  const isUnchecked = calls.some(
    ({ number, seen }) => number <= first.number && seen.call !== 'balance' && !isOfCroupier(seen.exchange),
  );
  return isUnchecked ? first : null;
}

/** If the service sent a win in a round whose bet failed, says that the service may have treated this bet as accepted. */
function doubtfulBetsOf({ transactions }: Books): readonly string[] {
  const [win, ...more] = winsOfFailedBets(transactions);
  if (!win) return [];
  const number = win.attempts[0]?.number ?? 0;
  const others = more.length === 0 ? '' : ` and in ${plural(more.length, 'more round')}`;
  return [
    `the service sent the win of call ${number} in a round whose bet failed${others}; perhaps the service got another reply to the bet than the operator logged`,
  ];
}

/** True if the logs contain enough to decide who owes money in a wallet. */
export function isDecided({ difference, unknowns }: WalletVerdict): boolean {
  return difference !== null && unknowns.length === 0;
}

function filesOf(calls: readonly LoggedCall[]): readonly string[] {
  const views = calls.flatMap(({ seen, alsoSeen }) => (alsoSeen ? [seen, alsoSeen] : [seen]));
  return [...new Set(views.map(({ exchange }) => exchange.place.file))];
}

function withoutSums(round: RoundVerdict): RoundVerdict {
  return { ...round, should: null, booked: null, difference: null };
}

/** Returns the value if it is the same in all possible states of the books; otherwise null. */
function same(values: readonly Money[]): Money | null {
  const [first] = values;
  return first !== undefined && values.every((value) => value.equals(first)) ? first : null;
}

function unknownsOf(books: Books, rounds: readonly RoundVerdict[], calls: readonly LoggedCall[]): readonly string[] {
  const found: string[] = [];
  if (books.unknown === null && !books.isAnchored)
    found.push(
      lackBodies(calls) ? 'the bodies of the replies were not logged' : 'the logs have no reply with a usable balance',
    );
  const unlogged = unloggedOf(calls);
  if (unlogged.length > 0)
    found.push(
      unlogged.length === 1
        ? `the reply to ${callNumbers(unlogged)} was not logged`
        : `the replies to ${callNumbers(unlogged)} were not logged`,
    );
  const lastSaid = books.lastSaid?.call.number ?? 0;
  const unsettled = calls.filter(
    ({ number, seen, ending, status }) =>
      seen.call === 'bet' && ending === 'declined' && status !== null && mayBeBooked(status) && number > lastSaid,
  );
  if (unsettled.length > 0)
    found.push(
      `no later balance shows whether the operator took the bet of ${callNumbers(unsettled)}, because its status may come from a server in front of the operator`,
    );
  const unread = unreadBalancesOf(books, calls);
  if (unread.length > 0) found.push(`the logs do not show the balance in the reply to ${callNumbers(unread)}`);
  const untested = untestedDeclinesOf(books, calls);
  if (untested.length > 0)
    found.push(
      `the logs do not show the balance before the declined ${untested.length === 1 ? 'bet' : 'bets'} of ${callNumbers(untested)}, so it is unknown whether the operator took ${untested.length === 1 ? 'it' : 'them'}`,
    );
  const roundless = roundlessWinsOf(books);
  if (roundless.length > 0)
    found.push(
      `the logs do not show the round of the win of ${callNumbers(roundless)}, so it is unknown whether the win was due`,
    );
  const paid = paidFreeBetsOf(books);
  if (paid.length > 0)
    found.push(
      `the free ${paid.length === 1 ? 'bet' : 'bets'} of ${callNumbers(paid.flatMap(({ attempts }) => attempts.slice(0, 1)))} cost the player money, and the contract does not say whether a free bet may do so. The agreement with the operator decides`,
    );
  const unpaid = unpaidFreeWinsOf(books);
  if (unpaid.length > 0)
    found.push(
      `the free ${unpaid.length === 1 ? 'win' : 'wins'} of ${callNumbers(unpaid.flatMap(({ attempts }) => attempts.slice(0, 1)))} did not change the balance, and the contract does not say whether a free win must do so. The agreement with the operator decides`,
    );
  if (paid.length + unpaid.length === 0 && isFreeUnclear(books))
    found.push(
      'either a free bet cost the player money, or a free win did not change the balance, and the contract does not say which balance is right. The agreement with the operator decides',
    );
  found.push(...pendingWithoutBet(books, 'operator'));
  const open = rounds.filter(({ state }) => state === 'open');
  if (open.length > 0) found.push(openClause(open));
  return found;
}

/** True if, in each possible state of the books, a free bet took money from the player or a free win was not paid. */
function isFreeUnclear(books: Books): boolean {
  const bets = freeOf(books, 'bet');
  const wins = freeOf(books, 'win').filter(isAccepted);
  if (bets.length + wins.length === 0) return false;
  return books.worlds.every(
    (world) => bets.some(({ key }) => isApplied(world, key)) || wins.some(({ key }) => !isApplied(world, key)),
  );
}

function isAccepted({ state }: Transaction): boolean {
  return state === 'accepted';
}

/** Returns the free bets that took money from the player. */
function paidFreeBetsOf(books: Books): readonly Transaction[] {
  return freeOf(books, 'bet').filter(({ key }) => books.worlds.every((world) => isApplied(world, key)));
}

/** Returns the free wins that were answered 200, but did not change the balance. */
function unpaidFreeWinsOf(books: Books): readonly Transaction[] {
  return freeOf(books, 'win')
    .filter(isAccepted)
    .filter(({ key }) => !books.worlds.some((world) => isApplied(world, key)));
}

/**
 * Returns the free bets or wins with an amount. Runs of croupier do not judge the money of free rounds, so their calls are left
 * out.
 */
function freeOf({ transactions, unknown, isAnchored }: Books, call: 'bet' | 'win'): readonly Transaction[] {
  if (unknown !== null || !isAnchored) return [];
  return transactions.filter(
    (one) =>
      one.call === call &&
      one.isCampaign &&
      one.amount?.isZero() === false &&
      !one.attempts.some(({ seen }) => seen.exchange.isOfRun === true),
  );
}

/** Returns the calls about money whose reply was not logged. */
function unloggedOf(calls: readonly LoggedCall[]): readonly LoggedCall[] {
  return calls.filter(
    ({ ending, done, seen, reading }) =>
      ending === 'unknown' && done === 'maybe' && seen.call !== 'balance' && !isCut(reading),
  );
}

/**
 * Returns the declined bets before the first usable balance, if the log does not show the balance before them. Only this balance would
 * show whether the operator took the bets. croupier knows the balance before the bets of its own runs, so these bets are left out.
 */
function untestedDeclinesOf({ firstSaid }: Books, calls: readonly LoggedCall[]): readonly LoggedCall[] {
  const first = firstSaid?.call.number ?? 0;
  const hidden = calls.find(({ ending, balance }) => ending === 'accepted' && balance === null)?.number ?? first;
  const shown = calls.find(({ balance }) => balance !== null)?.number ?? first;
  return calls.filter(
    ({ number, seen, ending, amount }) =>
      seen.call === 'bet' &&
      ending === 'declined' &&
      number < first &&
      (number > hidden || number < shown) &&
      amount?.isZero() !== true &&
      !isOfCroupier(seen.exchange),
  );
}

/**
 * Returns the wins without a known round, in logs that show the rounds of other calls. If such a win is the second one of its round, the
 * service must not send it.
 */
function roundlessWinsOf({ transactions }: Books): readonly LoggedCall[] {
  if (transactions.every(({ roundID }) => roundID === null)) return [];
  return transactions.flatMap(({ call, roundID, isCampaign, amount, attempts }) =>
    call === 'win' && roundID === null && !isCampaign && amount?.isZero() !== true && !attempts.every(isJudgedInRun)
      ? attempts.slice(0, 1)
      : [],
  );
}

/** Returns the calls after the last known balance whose balance is not in the log. */
function unreadBalancesOf({ lastSaid }: Books, calls: readonly LoggedCall[]): readonly LoggedCall[] {
  const last = lastSaid?.call.number ?? 0;
  return calls.filter((call) => call.number > last && isBalanceMissing(call, calls));
}

/**
 * True for a call that was answered 200, but whose balance is not in the log, although the log shows the balances of other such
 * calls. For example, the end of the line is missing. Such a balance could show that an earlier result is wrong.
 */
function isBalanceMissing(
  { seen, status, ending, balance, reading }: LoggedCall,
  calls: readonly LoggedCall[],
): boolean {
  if (balance !== null || isCut(reading)) return false;
  const isUnlogged = status === 200 ? reading === null : status === null && ending === 'unknown';
  if (seen.call === 'balance' ? status !== 200 && !isUnlogged : status !== 200 || !isUnlogged) return false;
  const { file } = seen.exchange.place;
  return calls.some(
    (other) => other.seen.call === seen.call && other.balance !== null && other.seen.exchange.place.file === file,
  );
}

function callNumbers(calls: readonly LoggedCall[]): string {
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
  // If the bet of a refund is not in the logs, the operator may or may not have given money back. Then `booked` and `should` are
  // unknown.
  const isWhole = transactions.every(
    ({ call, origTxID, state }) =>
      call !== 'refund' || state === 'declined' || (origTxID !== null && bets.has(origTxID)),
  );
  const numbers = transactions.flatMap(({ attempts }) => attempts.map(({ number }) => number));
  return {
    roundID,
    firstCall: Math.min(...numbers),
    state: stateOf(transactions, debts),
    bets: total(transactions, 'bet'),
    wins: total(transactions, 'win'),
    debts,
    booked: isWhole ? same(worlds.map(booked)) : null,
    should: isWhole ? same(worlds.map((world) => booked(world).minus(off).plus(stillToCome(world, pending)))) : null,
    difference: same(worlds.map((world) => off.minus(stillToCome(world, pending)))),
  };
}

/** Sums up all bets or wins that the operator accepted or must still accept. Returns null if an amount is unknown. */
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
