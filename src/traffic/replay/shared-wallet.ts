import { Money } from '../../contract/money.ts';
import type { LoggedCall } from '../calls/logged-call.ts';

/** The state of a session since its last reply with a balance. */
interface Known {
  readonly balance: Money;
  /** The sum by which the other session has changed the balance since this reply. */
  readonly others: Money;
}

/**
 * Finds out from the balances whether two sessions have the same wallet. This is needed for records that do not name the players.
 * Returns null if the balances do not show it.
 */
export function haveSharedWallet(calls: readonly LoggedCall[], a: string, b: string): boolean | null {
  const known = new Map<string, Known>();
  const transactions = new Set<string>();
  for (const call of calls) {
    const { sessionID, txID } = call.seen;
    if (sessionID === null || (sessionID !== a && sessionID !== b)) continue;
    const effect = txID !== null && transactions.has(txID) ? Money.zero : effectOf(call);
    if (txID !== null) transactions.add(txID);
    if (effect === null) {
      known.clear();
      continue;
    }
    const before = known.get(sessionID);
    if (before && !before.others.isZero() && call.balance !== null) {
      const alone = before.balance.plus(effect);
      const together = alone.plus(before.others);
      return distance(call.balance, together).compare(distance(call.balance, alone)) < 0;
    }
    if (call.balance !== null) known.set(sessionID, { balance: call.balance, others: Money.zero });
    const other = sessionID === a ? b : a;
    const ofOther = known.get(other);
    if (ofOther) known.set(other, { ...ofOther, others: ofOther.others.plus(effect) });
  }
  return null;
}

/** Returns how much a correct operator changes the balance for a call. Null if this is unknown. */
function effectOf({ seen, done, amount }: LoggedCall): Money | null {
  if (seen.call === 'balance' || done === 'no') return Money.zero;
  if (done === 'maybe' || amount === null || seen.type === 'free' || seen.call === 'refund') return null;
  return seen.call === 'bet' ? amount.negated() : amount;
}

function distance(a: Money, b: Money): Money {
  return a.minus(b).absolute();
}
