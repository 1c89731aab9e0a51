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
 * Decides whether the calls can explain the change between two balances. Other calls may have been in flight at the time of the
 * first balance, but none at the time of the second balance.
 *
 * @returns true also if an amount is unknown, or if too many changes are possible
 */
export function isChangeExplained(from: Said, to: Said, transactions: Iterable<Transaction>, bets: Bets): boolean {
  const upTo = [...transactions].flatMap((one) => {
    const attempts = one.attempts.filter(({ number }) => number <= to.call.number);
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
    const possible = changesBy(one, one.amount, from.call, { bets, refunds });
    const all = changes.flatMap((sum) => possible.map((by) => sum.plus(by)));
    changes = [...new Map(all.map((sum) => [sum.toString(), sum])).values()];
    if (changes.length > MAX_CHANGES) return true;
  }
  return changes.some((change) => isSameButForRest(from.balance.plus(change), to.balance));
}

interface Refunded {
  readonly bets: Bets;
  /** The refunds that were answered 200, by the `txID` of the bet. */
  readonly refunds: ReadonlyMap<string, Transaction>;
}

/** Returns the amounts by which a transaction may have changed the balance since the reply to the call `from`. */
function changesBy(
  one: Transaction,
  amount: Money,
  from: LoggedCall,
  { bets, refunds }: Refunded,
): readonly [Money, ...Money[]] {
  switch (one.call) {
    case 'bet': {
      if (one.state === 'declined') return [Money.zero];
      const refund = one.state === 'accepted' ? undefined : refunds.get(one.txID ?? '');
      if (!refund) return changesOf(one, amount.negated(), from);
      // The refund gives back what the bet took. So the balance is only different between the two.
      const isBetween = timeOf(refund, from) !== 'before' && timeOf(one, from) !== 'after';
      return isBetween ? [Money.zero, amount] : [Money.zero];
    }
    case 'win':
      return changesOf(one, amount, from);
    case 'refund': {
      const bet = bets.get(one.origTxID ?? '');
      const isWithBet = bet && bet.state !== 'accepted' && refunds.has(one.origTxID ?? '');
      return isWithBet ? [Money.zero] : [Money.zero, amount];
    }
  }
}

function changesOf(one: Transaction, by: Money, from: LoggedCall): readonly [Money, ...Money[]] {
  if (!isAccepted(one) || one.isCampaign) return [Money.zero, by];
  switch (timeOf(one, from)) {
    case 'before':
      return [Money.zero];
    case 'after':
      return [by];
    case 'near':
      return [Money.zero, by];
  }
}

function isAccepted({ attempts }: Transaction): boolean {
  return attempts.some(({ ending }) => ending === 'accepted');
}

/** Says whether a transaction was carried out before or after a call. `near`: the times do not show it. */
function timeOf({ attempts }: Transaction, from: LoggedCall): 'before' | 'near' | 'after' {
  if (attempts.some((attempt) => attempt.number !== from.number && met(attempt, from) !== 'no')) return 'near';
  if (attempts.every(({ number }) => number > from.number)) return 'after';
  return attempts.every(({ number }) => number <= from.number) ? 'before' : 'near';
}
