import { Money } from '../../contract/money.ts';
import { type LoggedCall, met } from '../calls/logged-call.ts';
import type { Bets, Transaction } from '../calls/transaction.ts';
import { isSameButForRest } from './float-rest.ts';

/** A balance in a reply of the operator, with the call. */
export interface Said {
  readonly balance: Money;
  readonly call: LoggedCall;
}

/** Maximum number of different changes that are compared. With more changes, almost every balance fits one of them. */
const MAX_CHANGES = 4096;

/**
 * Decides whether the calls can explain the change between two balances. Other calls may have been in flight at the time of each
 * balance.
 *
 * @param overlap the calls whose order is open: those that may have been in flight at once, or only those that certainly were
 * @returns true also if an amount is unknown, or if too many changes are possible
 */
export function isChangeExplained(
  from: Said,
  to: Said,
  transactions: Iterable<Transaction>,
  bets: Bets,
  overlap: Overlap = 'possible',
): boolean {
  const upTo = [...transactions].flatMap((one) => {
    const attempts = one.attempts.filter((call) => call.number <= to.call.number || isAtOnce(call, to.call, overlap));
    return attempts.length === 0 ? [] : [{ ...one, attempts }];
  });
  const refunds = new Map(
    upTo.flatMap((one) => {
      const { call, origTxID } = one;
      return call === 'refund' && origTxID !== null && isAccepted(one) ? [[origTxID, one] as const] : [];
    }),
  );
  let changes: readonly Money[] = [Money.zero];
  for (const one of upTo) {
    if (one.amount === null) return true;
    const possible = changesBy(one, one.amount, { from: from.call, to: to.call, overlap }, { bets, refunds });
    const all = changes.flatMap((sum) => possible.map((by) => sum.plus(by)));
    changes = [...new Map(all.map((sum) => [sum.toString(), sum])).values()];
    if (changes.length > MAX_CHANGES) return true;
  }
  return changes.some((change) => isSameButForRest(from.balance.plus(change), to.balance));
}

/** Number of balances after a balance that {@link contradictionIn} compares with it. */
const COMPARED = 8;

/**
 * Finds a balance that the calls do not explain, although each of the balances may be right if it is looked at alone. The balances
 * came while other calls were in flight.
 */
export function contradictionIn(
  said: readonly Said[],
  transactions: readonly Transaction[],
  bets: Bets,
): Said | undefined {
  return said.find((to, index) =>
    said.slice(Math.max(0, index - COMPARED), index).some((from) => !isChangeExplained(from, to, transactions, bets)),
  );
}

type Overlap = 'possible' | 'certain';

/** The two calls whose replies have the balances. */
interface Between {
  readonly from: LoggedCall;
  readonly to: LoggedCall;
  readonly overlap: Overlap;
}

interface Refunded {
  readonly bets: Bets;
  /** The refunds that were answered 200, by the `txID` of the bet. */
  readonly refunds: ReadonlyMap<string, Transaction>;
}

/** Returns the amounts by which a transaction may have changed the balance between two replies. */
function changesBy(
  one: Transaction,
  amount: Money,
  between: Between,
  { bets, refunds }: Refunded,
): readonly [Money, ...Money[]] {
  const { from, to, overlap } = between;
  switch (one.call) {
    case 'bet': {
      if (one.state === 'declined') return [Money.zero];
      const refund = one.state === 'accepted' ? undefined : refunds.get(one.txID ?? '');
      if (!refund) return changesOf(one, amount.negated(), between);
      // The refund gives back what the bet took. So the balance is only different between the two.
      const isTakenBefore = timeOf(refund, from, overlap) !== 'before' && timeOf(one, from, overlap) !== 'after';
      const isGivenAfter = timeOf(refund, to, overlap) !== 'before';
      return [Money.zero, ...(isTakenBefore ? [amount] : []), ...(isGivenAfter ? [amount.negated()] : [])];
    }
    case 'win':
      return changesOf(one, amount, between);
    case 'refund': {
      const bet = bets.get(one.origTxID ?? '');
      const isWithBet = bet && bet.state !== 'accepted' && refunds.has(one.origTxID ?? '');
      return isWithBet ? [Money.zero] : [Money.zero, amount];
    }
  }
}

function changesOf(one: Transaction, by: Money, { from, to, overlap }: Between): readonly [Money, ...Money[]] {
  // The operator may carry out a call late if its outcome is unknown.
  if (!isAccepted(one) || one.isCampaign) return [Money.zero, by];
  const begun = timeOf(one, from, overlap);
  if (begun === 'before') return [Money.zero];
  return begun === 'after' && timeOf(one, to, overlap) === 'before' ? [by] : [Money.zero, by];
}

function isAccepted({ attempts }: Transaction): boolean {
  return attempts.some(({ ending }) => ending === 'accepted');
}

/** Says whether a transaction was carried out before or after a call. `near`: the times do not show it. */
function timeOf({ attempts }: Transaction, call: LoggedCall, overlap: Overlap): 'before' | 'near' | 'after' {
  if (attempts.some((attempt) => attempt.number !== call.number && isAtOnce(attempt, call, overlap))) return 'near';
  if (attempts.every(({ number }) => number > call.number)) return 'after';
  return attempts.every(({ number }) => number <= call.number) ? 'before' : 'near';
}

function isAtOnce(a: LoggedCall, b: LoggedCall, overlap: Overlap): boolean {
  const answer = met(a, b);
  return answer === 'yes' || (answer === 'maybe' && overlap === 'possible');
}
