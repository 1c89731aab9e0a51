import { REPLY_DEADLINE_MS } from '../../contract/limits.ts';
import type { Money } from '../../contract/money.ts';
import { type Cause, type Deviation, isProvenByReply } from '../books/deviation.ts';
import type { Books } from '../books/wallet-books.ts';
import { isApplied } from '../books/worlds.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import type { Transaction } from '../calls/transaction.ts';

/**
 * Finds wrong balances that have two possible explanations: an error of the operator, or a round that is not in the logs. Such a
 * round is possible in two cases: the pause before the balance is very long, or it is at least as long as a short round and the
 * balance changed by a multiple of a stake of the player.
 */
export function hiddenRoundsOf(
  { deviations, transactions, worlds, isAnchored, unknown }: Books,
  calls: readonly LoggedCall[],
): readonly string[] {
  const bets = transactions.filter(({ call, state }) => call === 'bet' && state !== 'declined');
  // If rounds overlap, the next bet does not wait for the end of a round. So there is room for a bet in a shorter pause.
  const usualMs =
    (hasOverlappingRounds(transactions) ? usualPauseMs(transactions, FEWEST_OVERLAPPING_PAUSES) : undefined) ??
    usualPauseMs(bets, FEWEST_PAUSES);
  const roundMs = usualMs ?? SHORT_ROUND_MS;
  const shortestMs = usualMs === undefined ? SHORT_ROUND_MS : SHORTEST_ROUND * usualMs;
  const mayHide = (transaction: Transaction | undefined, by: Money, after: LoggedCall, call: LoggedCall): boolean => {
    if (areOfOneRun(after, call)) return false;
    const pause = pauseMs(calls, after, call);
    if (pause < shortestMs) return false;
    const isEarlier = transaction?.attempts.every(({ number }) => number < call.number) === true;
    // Players often bet the same amount again. So a change by exactly the amount of a bet can also be another bet before it.
    const isLikeStake = bets.some(
      ({ key, amount }) =>
        amount !== null &&
        (isEarlier || key !== transaction?.key ? isMultiple(by, amount) : by.absolute().equals(amount)),
    );
    return isLikeStake || pause >= LONG_ROUNDS * roundMs;
  };
  const found = deviations.flatMap((deviation) => {
    const { call, after, by, causes, fixedBy } = deviation;
    const [cause] = causes;
    const change = `${by.isNegative() ? '' : '+'}${by.format(2)}`;
    if (fixedBy !== null) {
      const fixing = calls.find(({ number }) => number === fixedBy);
      const before = calls.findLast(({ number, balance }) => number < fixedBy && balance !== null);
      // An error is corrected by exactly its own amount. So only another bet of this amount makes a hidden round likely.
      const isOfOther = bets.some(
        ({ key, amount }) => amount !== null && key !== cause?.transaction.key && isMultiple(by, amount),
      );
      return fixing && before && isOfOther && mayHide(cause?.transaction, by, before, fixing)
        ? [
            `the balance in the reply to call ${call.number} was wrong by ${change}, and the balance in the reply to call ${fixedBy} was right: either the error was corrected, or the logs lack a round`,
          ]
        : [];
    }
    if (!cause || after === null || causes.some(isProvenByReply)) return [];
    if (isPair(causes))
      return [
        `between call ${after.number} and call ${call.number}, the balance changed by ${change}: either two errors happened at the same time (${causes.map(({ text }) => text).join(', and ')}), or something else changed the balance: a deposit, a withdrawal, a bonus, another game, or a call that is not in the logs`,
      ];
    const { from, to } = timeOfChange(deviation, after, calls, transactions);
    if (!mayHide(cause.transaction, by, from, to)) return [];
    return [
      `between call ${after.number} and call ${call.number}, the balance changed by ${change}: either ${cause.text}, or the logs lack a round (${after.atMs === null || call.atMs === null ? 'they do not show the time between these calls' : 'the time between these calls is long enough for a round'})`,
    ];
  });
  const refunded = new Set(transactions.flatMap(({ origTxID }) => origTxID ?? []));
  const isWhole = areBothWhole(calls);
  const hasRightBalances = isAnchored && unknown === null && deviations.length === 0;
  for (const bet of bets) {
    const last = bet.attempts.at(-1);
    if (bet.state !== 'failed' || bet.txID === null || refunded.has(bet.txID) || !last || bet.amount === null) continue;
    // If all balances are right and show that the operator has not taken the bet, a refund would not change what is owed.
    if (hasRightBalances && !worlds.some((world) => isApplied(world, bet.key))) continue;
    const next = calls.find(({ number, balance }) => number > last.number && balance !== null);
    if (!next || (isWhole && isInBoth(last) && isInBoth(next))) continue;
    if (mayHide(bet, bet.amount, last, next))
      found.push(
        `the logs contain no refund for the bet in call ${last.number}; ${last.atMs === null || next.atMs === null ? 'they do not show the time until the next call' : 'the time until the next call is long enough for a whole round'}, so calls may be missing from the logs`,
      );
  }
  return found;
}

/**
 * Returns the two calls between which a balance became wrong. These are the calls whose replies had the last right and the first
 * wrong balance. Some replies between them have a balance that is not compared with the books, because the contract allows any
 * balance in them. But if such a balance is exactly the right or the wrong one, it shows the time of the change more precisely.
 */
function timeOfChange(
  { call, said, expected }: Deviation,
  after: LoggedCall,
  calls: readonly LoggedCall[],
  transactions: readonly Transaction[],
): { readonly from: LoggedCall; readonly to: LoggedCall } {
  const between = calls.filter(({ number }) => number > after.number && number < call.number);
  // The reply to a repeated call may have the balance of an earlier attempt, or the balance after an attempt whose reply is not known.
  const repeats = new Set(
    transactions
      .filter(({ attempts }) => (attempts[0]?.number ?? 0) <= after.number || attempts[0]?.done === 'yes')
      .flatMap(({ attempts }) => attempts.filter((one, index) => isPerhapsStored(one, attempts.slice(0, index)))),
  );
  const shown = between.filter((one) => one.done === 'yes' && one.balance?.isZero() === false && !repeats.has(one));
  const to = (call.seen.call === 'balance' ? shown.find(({ balance }) => balance?.equals(said)) : undefined) ?? call;
  const lastMoney = between.findLast(({ number, seen }) => number < to.number && seen.call !== 'balance');
  const before = expectedBefore(call, expected, transactions);
  const from = shown.find((one) => one === lastMoney && before !== null && one.balance?.equals(before));
  return { from: from ?? after, to };
}

/**
 * Returns the right balance before a call, because the balance in the reply to a bet or a win has the effect of this call. Returns null if
 * it is not known whether the call itself changed the balance.
 */
function expectedBefore(call: LoggedCall, expected: Money, transactions: readonly Transaction[]): Money | null {
  if (call.seen.call === 'balance') return expected;
  const own = transactions.find(({ attempts }) => attempts.includes(call));
  if (call.ending !== 'accepted' || !own || own.attempts.length > 1 || own.isCampaign || own.amount === null)
    return null;
  switch (own.call) {
    case 'bet':
      return expected.plus(own.amount);
    case 'win':
      return expected.minus(own.amount);
    case 'refund':
      return null;
  }
}

/** True if the reply to a repeated call may be the stored reply to one of the earlier attempts. */
function isPerhapsStored({ balance }: LoggedCall, earlier: readonly LoggedCall[]): boolean {
  return earlier.some(
    (one) =>
      one.done === 'maybe' || (one.done === 'yes' && (one.balance === null || balance?.equals(one.balance) === true)),
  );
}

/**
 * True if the logs of the two sides have the same calls. Then a round that is not in the logs would be missing in both of them, and
 * no other call would be missing in only one of them. If the calls were selected by their round, other rounds are missing in both.
 */
function areBothWhole(calls: readonly LoggedCall[]): boolean {
  const rounds = new Set(calls.map(({ seen }) => (seen.call === 'balance' ? 'balance' : seen.roundID)));
  return rounds.size > 1 && calls.some(isInBoth) && calls.every((call) => isInBoth(call) || isPerhapsUnsent(call));
}

function isInBoth({ alsoSeen }: LoggedCall): boolean {
  return alsoSeen !== null;
}

/** True for a call of the service that perhaps did not reach the operator. */
function isPerhapsUnsent({ seen, ending }: LoggedCall): boolean {
  return seen.exchange.side === 'service' && (ending === 'lost' || ending === 'not-sent' || ending === 'late');
}

/**
 * True for two different errors. Among many calls, two errors often add up to a balance by chance. If both errors are in repeated
 * calls, the repeated calls make them likely.
 */
function isPair(causes: readonly Cause[]): boolean {
  return new Set(causes.map(({ transaction }) => transaction)).size > 1 && causes.some(({ repeat }) => repeat === null);
}

/** True if the player began a round before the end of another one. */
export function hasOverlappingRounds(transactions: readonly Transaction[]): boolean {
  let end = 0;
  const rounds = Map.groupBy(
    transactions.filter(({ roundID }) => roundID !== null),
    ({ roundID }) => roundID,
  );
  for (const round of rounds.values()) {
    const numbers = round.flatMap(({ attempts }) => attempts.map(({ number }) => number));
    if (Math.min(...numbers) < end) return true;
    end = Math.max(...numbers, end);
  }
  return false;
}

/** Returns the usual time in ms from one of these transactions to the next; undefined if there are too few of them to show it. */
function usualPauseMs(transactions: readonly Transaction[], fewest: number): number | undefined {
  const times = transactions.flatMap(({ attempts }) => attempts[0]?.atMs ?? []);
  const pauses = times
    .slice(1)
    .map((time, index) => time - (times[index] ?? time))
    .toSorted((a, b) => a - b);
  return pauses.length < fewest ? undefined : pauses[Math.floor(pauses.length / 2)];
}

const FEWEST_PAUSES = 2;
const FEWEST_OVERLAPPING_PAUSES = 8;
/** The shortest round of a player, as a share of the usual time of a round. A round of the game may be much shorter than the usual one. */
const SHORTEST_ROUND = 0.5;
/** A pause as long as this number of rounds can hide any change of the balance. */
const LONG_ROUNDS = 2;
/** The time of a round in ms if the logs have too few bets to show it. */
const SHORT_ROUND_MS = 10_000;

/**
 * The time in ms between two calls, without the time in which the service waited for replies that did not come. Infinite if the
 * logs do not show the times of these two calls.
 */
function pauseMs(calls: readonly LoggedCall[], after: LoggedCall, call: LoggedCall): number {
  if (after.atMs === null || call.atMs === null) return Number.POSITIVE_INFINITY;
  const waitedMs = calls
    .filter(({ number }) => number > after.number && number < call.number)
    .reduce((sum, one) => sum + waitingMs(one), 0);
  return call.atMs - after.atMs - waitedMs;
}

/** The time in ms in which the service waited for a reply that did not come. */
function waitingMs({ ending, seen }: LoggedCall): number {
  if (ending !== 'late' && ending !== 'lost') return 0;
  const knownMs = seen.exchange.tookMs ?? (ending === 'late' ? REPLY_DEADLINE_MS : 0);
  return Math.min(knownMs, REPLY_DEADLINE_MS);
}

/** True if both calls are in one log that has every call of its run. Then no round between them is missing. */
function areOfOneRun(before: LoggedCall, call: LoggedCall): boolean {
  const [one, other] = [before.seen.exchange, call.seen.exchange];
  return one.isOfWholeRun === true && other.isOfWholeRun === true && one.place.file === other.place.file;
}

function isMultiple(sum: Money, stake: Money): boolean {
  return !stake.isZero() && sum.absolute().isMultipleOf(stake);
}
