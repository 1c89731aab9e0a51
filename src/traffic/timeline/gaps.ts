import { REPLY_DEADLINE_MS, REPLY_DEADLINE_SECONDS } from '../../contract/limits.ts';
import type { Books } from '../books/wallet-books.ts';
import { isApplied } from '../books/worlds.ts';
import { balanceIn, isPerhapsDeclined, type LoggedCall } from '../calls/logged-call.ts';
import { betsOf, type Transaction } from '../calls/transaction.ts';
import type { Side } from '../logged-exchange.ts';
import type { Debt } from './debt.ts';
import { hasOverlappingRounds, hiddenRoundsOf } from './hidden-rounds.ts';
import type { RoundVerdict } from './round-verdict.ts';
import { isJudgedInRun, isOfCroupier, isSentAgain } from './service-fault.ts';

/**
 * Returns the signs that the logs lack calls of a wallet, or that something else changed the balance of this wallet. If there is
 * such a sign, nothing about money is certain: a call that is not in the logs may have settled any debt, or may be the true reason
 * for any wrong balance.
 *
 * @returns clauses; empty if the calls fit together
 */
export function gapsOf(books: Books, rounds: readonly RoundVerdict[], calls: readonly LoggedCall[]): readonly string[] {
  const found: string[] = [];
  if (books.unknown !== null) found.push(books.unknown);
  for (const { by, call, after, said, causes, fixedBy } of books.deviations) {
    if (causes.length > 0 || fixedBy !== null) continue;
    const since =
      after === null ? `before call ${call.number}` : `between call ${after.number} and call ${call.number}`;
    found.push(
      `${since}, the balance changed by ${by.isNegative() ? '' : '+'}${by.format(2)} to ${said.format(2)}, and no call in the logs explains it: a deposit, a withdrawal, a bonus, another game, or a call that is not in the logs`,
    );
  }
  found.push(
    ...hiddenRoundsOf(books, calls),
    ...unidentifiedOf(books.transactions),
    ...renamedWinsOf(books.transactions),
  );
  found.push(...contradictionsOf(calls), ...perhapsLateOf(books.transactions));
  found.push(...possibleWins(books, rounds), ...possibleBets(books), ...paidWithoutBet(books, calls));
  found.push(...winsWithoutBet(books), ...pendingWithoutBet(books, 'service'));
  return found;
}

/** Finds balances that are too high after a round without a win. The win may be missing in the logs. */
function possibleWins({ deviations }: Books, rounds: readonly RoundVerdict[]): readonly string[] {
  return deviations.flatMap(({ call, by, causes, fixedBy }) => {
    const round = rounds.find(({ state, firstCall }) => state === 'open' && firstCall < call.number);
    const [cause] = causes;
    if (!cause || !round || by.isNegative() || fixedBy !== null) return [];
    return [
      `the balance in the reply to call ${call.number} is ${by.format(2)} too high: either ${cause.text}, or the logs lack the win of round ${round.roundID ?? 'without an id'}`,
    ];
  });
}

/** Says which rounds have no win. */
export function openClause(open: readonly RoundVerdict[]): string {
  return open.length === 1
    ? `the logs have no win for round ${open[0]?.roundID ?? 'without an id'}, so its result is unknown (even a lost round has a win of 0)`
    : `the logs have no win for ${open.length} rounds, so their results are unknown (even a lost round has a win of 0)`;
}

/**
 * Finds balances that are too low before a win or a refund. The bet of this win or refund is not in the logs, and may be the reason
 * for the low balance.
 */
function possibleBets({ deviations, transactions }: Books): readonly string[] {
  const rounds = new Set(transactions.flatMap(({ call, roundID }) => (call === 'bet' ? [roundID] : [])));
  const bets = new Set(transactions.flatMap(({ call, txID }) => (call === 'bet' ? [txID] : [])));
  const orphans = transactions.filter(({ call, roundID, origTxID, isCampaign }) =>
    call === 'win' ? roundID !== null && !isCampaign && !rounds.has(roundID) : call === 'refund' && !bets.has(origTxID),
  );
  return deviations.flatMap(({ call, by, causes, fixedBy }) => {
    const orphan = orphans.find((one) => firstNumber(one) >= call.number);
    const [cause] = causes;
    if (!cause || !orphan || !by.isNegative() || fixedBy !== null) return [];
    return [
      `the balance in the reply to call ${call.number} is ${by.absolute().format(2)} too low: either ${cause.text}, or the logs lack the bet of the ${orphan.call} in call ${firstNumber(orphan)}`,
    ];
  });
}

/**
 * Finds wins that the operator paid although the logs do not contain the bet of their round. The bet may have come before the logs
 * begin, or there may be none.
 */
function winsWithoutBet({ transactions }: Books): readonly string[] {
  const rounds = new Set(transactions.flatMap(({ call, roundID }) => (call === 'bet' ? [roundID] : [])));
  const orphans = transactions.filter(
    ({ call, roundID, isCampaign, amount, attempts }) =>
      call === 'win' &&
      roundID !== null &&
      !isCampaign &&
      !rounds.has(roundID) &&
      amount?.isZero() !== true &&
      !attempts.every(({ seen }) => isOfCroupier(seen.exchange)),
  );
  return orphans.map(
    (win) =>
      `the logs do not have the bet of the win of call ${firstNumber(win)} (round ${win.roundID}), so it is unknown whether the win was due`,
  );
}

/**
 * Finds wins and refunds that show for certain that a bet is missing in the logs: the service sent them after the first known balance,
 * and the logs do not have their bet. The missing bet may be the true reason for a change of the balance.
 */
export function missingBetsOf({ transactions, firstSaid }: Books): readonly string[] {
  const first = firstSaid?.call.number ?? Number.POSITIVE_INFINITY;
  const bets = betsOf(transactions);
  const rounds = new Set(transactions.flatMap(({ call, roundID }) => (call === 'bet' ? [roundID] : [])));
  return transactions.flatMap((one) => {
    const { call, roundID, origTxID, isCampaign, attempts } = one;
    if (firstNumber(one) <= first || isCampaign || attempts.some(({ seen }) => isOfCroupier(seen.exchange))) return [];
    const isOrphan =
      call === 'win'
        ? roundID !== null && !rounds.has(roundID)
        : // A bet that did not reach the operator is not in the log of the operator.
          call === 'refund' && origTxID !== null && !bets.has(origTxID) && attempts.some(isOfService);
    return isOrphan
      ? [`the logs do not have the bet of the ${call} of call ${firstNumber(one)}, so they lack at least this call`]
      : [];
  });
}

function isOfService({ seen, alsoSeen }: LoggedCall): boolean {
  return seen.exchange.side === 'service' || alsoSeen !== null;
}

/**
 * Finds refunds that the operator paid although the logs do not contain their bet. The operator may have taken the bet before the
 * logs begin, or never.
 */
function paidWithoutBet({ transactions, worlds }: Books, calls: readonly LoggedCall[]): readonly string[] {
  const bets = betsOf(transactions);
  const orphans = transactions.filter(
    ({ call, origTxID }) => call === 'refund' && origTxID !== null && !bets.has(origTxID),
  );
  if (orphans.length === 0) return [];
  const indexes = new Map(calls.map(({ number }, index) => [number, index]));
  return orphans.flatMap(({ key, origTxID, amount, attempts }) => {
    if (amount === null || amount.isZero()) return [];
    const isPaid = worlds.length > 0 && worlds.every((world) => isApplied(world, key));
    const paid = attempts.find(({ number, done, balance }) => {
      if (done !== 'yes') return false;
      const before = calls[(indexes.get(number) ?? 0) - 1]?.balance;
      return isPaid || (balance !== null && before != null && balance.minus(before).equals(amount));
    });
    if (!paid) return [];
    return [
      `the refund of call ${paid.number} gave the player ${amount.format(2)}; the logs do not have its bet (txID ${origTxID}), so it is unknown whether the operator had taken the bet`,
    ];
  });
}

/**
 * Finds refunds that were sent, but were never answered 200, if the logs do not contain their bet. Such a refund must be sent again, and
 * it is unknown whether the operator must give money back for it. If only the operator's log shows the refund, the bet probably did not
 * reach the operator, so the sums of the other calls are still right.
 *
 * @param by the side whose log shows the refunds: the operator's log alone, or also the service's log
 */
export function pendingWithoutBet({ transactions }: Books, by: Side): readonly string[] {
  const bets = betsOf(transactions);
  const refunds = transactions.filter(({ call, origTxID }) => call === 'refund' && origTxID !== null);
  const settled = new Set(refunds.flatMap(({ state, origTxID }) => (state === 'accepted' ? [origTxID] : [])));
  return refunds.flatMap((refund) => {
    const { origTxID, state, attempts } = refund;
    if (state !== 'failed' || origTxID === null || bets.has(origTxID) || settled.has(origTxID)) return [];
    if (attempts.some(({ seen }) => isOfCroupier(seen.exchange)) || attempts.every(isPerhapsDeclined)) return [];
    if (attempts.some(isOfService) !== (by === 'service')) return [];
    return [
      `the refund of call ${firstNumber(refund)} was not answered 200, and the logs do not have its bet (txID ${origTxID}), so it is unknown whether the operator must give money back`,
    ];
  });
}

/**
 * Finds the signs that lines are missing within the logs, if a debt rests on the absence of a call: the service did not refund a bet, or
 * did not send a win or a refund again. The missing lines may contain this call. A call that the operator declined is a debt without this
 * absence, so it is left out.
 *
 * @param calls all calls of the wallet, in order of time
 */
export function lostLinesOf(
  { transactions }: Books,
  rounds: readonly RoundVerdict[],
  debts: readonly Debt[],
  calls: readonly LoggedCall[],
): readonly string[] {
  if (!debts.some((debt) => restsOnAbsence(debt, transactions))) return [];
  const next = openBeforeNext(transactions, rounds);
  const [one] = missingInOneLog(calls);
  return [
    ...(next
      ? [
          `the logs have no win for round ${next.roundID ?? 'without an id'}, although a later round was settled, so they perhaps lack other calls, too`,
        ]
      : []),
    ...(one
      ? [
          `call ${one.number} was answered 200, but only the log of the ${one.seen.exchange.side} has it, so the logs lack calls`,
        ]
      : []),
  ];
}

/** True for a debt of the operator or the player that a call which is not in the logs may have settled. */
function restsOnAbsence({ kind, transaction, owedBy }: Debt, transactions: readonly Transaction[]): boolean {
  if (transaction === null || (owedBy !== 'operator' && owedBy !== 'player')) return false;
  switch (kind) {
    case 'missing-refund':
      return true;
    case 'win-pending':
      return transaction.state === 'failed';
    case 'refund-pending':
      return transactions.every(
        ({ call, origTxID, state }) => call !== 'refund' || origTxID !== transaction.txID || state === 'failed',
      );
    case 'declined-bet':
    case 'misbooked':
      return false;
  }
}

/** Returns a round without a win, if a later round was settled. Players with several rounds at once are left out. */
function openBeforeNext(
  transactions: readonly Transaction[],
  rounds: readonly RoundVerdict[],
): RoundVerdict | undefined {
  if (hasOverlappingRounds(transactions)) return undefined;
  const last = rounds.findLast(({ state }) => state === 'settled')?.firstCall ?? 0;
  return rounds.find(({ state, firstCall }) => state === 'open' && firstCall < last);
}

/**
 * Returns the calls about money that were answered 200 and that only one of two logs has, although the other log has earlier and later
 * calls of this kind.
 */
function missingInOneLog(calls: readonly LoggedCall[]): readonly LoggedCall[] {
  const isIn = ({ seen, alsoSeen }: LoggedCall, side: Side): boolean =>
    seen.exchange.side === side || alsoSeen?.exchange.side === side;
  return (['service', 'operator'] as const).flatMap((side) =>
    calls.filter((one, index) => {
      if (one.seen.call === 'balance' || one.ending !== 'accepted' || isIn(one, side)) return false;
      const isLike = (other: LoggedCall): boolean => other.seen.call === one.seen.call && isIn(other, side);
      return calls.slice(0, index).some(isLike) && calls.slice(index + 1).some(isLike);
    }),
  );
}

/**
 * Finds the calls without a txID, if other calls of the wallet have one. Also finds the refunds without the id of their bet. The
 * logs masked or left out these ids.
 */
function unidentifiedOf(transactions: readonly Transaction[]): readonly string[] {
  // croupier leaves out fields on purpose. A journal has every field that croupier sent.
  const logged = transactions.filter(({ attempts }) => !attempts.every(isJudgedInRun));
  const nameless = logged.filter(({ txID }) => txID === null);
  const homeless = logged.filter(({ call, origTxID }) => call === 'refund' && origTxID === null);
  const namesOf = (list: readonly Transaction[]): string => list.slice(0, 5).map(firstNumber).join(', ');
  return [
    ...(nameless.length > 0 && nameless.length < transactions.length
      ? [`the logs do not show the txID of ${nameless.length === 1 ? 'call' : 'calls'} ${namesOf(nameless)}`]
      : []),
    ...(homeless.length > 0 ? [`the logs do not show which bet is refunded in call ${namesOf(homeless)}`] : []),
  ];
}

/**
 * Finds wins that were not answered 200, and that the service may have sent again with another txID. Then it is unknown whether the
 * operator must pay both wins.
 */
function renamedWinsOf(transactions: readonly Transaction[]): readonly string[] {
  return transactions.flatMap((win) => {
    // Nothing is owed for a win of zero, so it does not matter whether such a win is due.
    if (win.call !== 'win' || win.roundID === null || win.state === 'accepted' || win.amount?.isZero() !== false)
      return [];
    if (win.attempts.every(isJudgedInRun)) return [];
    const round = transactions.filter(({ roundID }) => roundID === win.roundID);
    const again = round.find((other) => isSentAgain(win, other, round));
    return again
      ? [
          `the wins of calls ${firstNumber(win)} and ${firstNumber(again)} may be the same win with two txIDs; the logs do not show whether both are due`,
        ]
      : [];
  });
}

/**
 * Finds bets that were answered 200 and refunded later, if the logs do not show how long the reply to the bet took. If this reply
 * came too late, the refund is right, and the operator must give the money back.
 */
function perhapsLateOf(transactions: readonly Transaction[]): readonly string[] {
  const refunds = new Map(
    transactions.flatMap(({ call, origTxID, attempts: [first] }) =>
      call === 'refund' && first ? [[origTxID, first]] : [],
    ),
  );
  return transactions.flatMap(({ call, txID, roundID, state, attempts }) => {
    const refund = txID === null ? undefined : refunds.get(txID);
    const [placed] = attempts;
    if (call !== 'bet' || state !== 'accepted' || !refund || !placed || attempts.length > 1) return [];
    const { tookMs, isOfRun } = placed.seen.exchange;
    const isWon = transactions.some((one) => one.call === 'win' && one.roundID === roundID);
    if (tookMs !== null || placed.alsoSeen || isOfRun === true || isWon || refund.number < placed.number) return [];
    if (placed.atMs !== null && refund.atMs !== null && refund.atMs - placed.atMs < REPLY_DEADLINE_MS) return [];
    return [
      `the bet of call ${placed.number} was answered 200, but the service sent a refund for it (call ${refund.number}); the logs do not show whether the reply to the bet came within ${REPLY_DEADLINE_SECONDS} seconds`,
    ];
  });
}

/** Finds calls whose amount or balance is not the same in the logs of the two sides. */
function contradictionsOf(calls: readonly LoggedCall[]): readonly string[] {
  return calls.flatMap(({ number, seen, alsoSeen, balance }) => {
    if (alsoSeen === null) return [];
    const found: string[] = [];
    if (seen.money !== null && alsoSeen.money !== null && !seen.money.equals(alsoSeen.money))
      found.push(
        `the amount of call ${number} is ${seen.money.format(2)} in the log of the service and ${alsoSeen.money.format(2)} in the log of the operator`,
      );
    const theirs = balanceIn(alsoSeen);
    if (balance !== null && theirs !== null && !balance.equals(theirs))
      found.push(
        `the balance in the reply to call ${number} is ${balance.format(2)} in the log of the service and ${theirs.format(2)} in the log of the operator`,
      );
    return found;
  });
}

function firstNumber({ attempts }: Transaction): number {
  return attempts[0]?.number ?? 0;
}
