import { Money } from '../../contract/money.ts';
import type { LoggedCall } from '../calls/logged-call.ts';

/** A bet took nearly the whole balance if it left at most a thousandth: a thousand times the rest is not more than the balance. */
const LITTLE_PLACES = 3;

/**
 * Finds each bet that took the whole balance or more, or nearly the whole balance, and bets sent in parallel whose sum was higher than
 * the balance. A test session has another balance, so the amount of such a bet must depend on this balance. After nearly the whole
 * balance, it matters how the operator writes a very small balance.
 *
 * @param groups the calls in their order; the calls of one group were in flight at the same time
 * @returns the amount of each such bet minus the balance before it, by the number of the call
 */
export function scarceBets(groups: readonly (readonly LoggedCall[])[]): ReadonlyMap<number, Money> {
  const scarce = new Map<number, Money>();
  const balances = new Map<string | null, Money | null>();
  const known = new Set<string>();
  for (const group of groups) {
    const bets = group.filter((call) => isNewBet(call, known));
    for (const { seen } of group) if (seen.txID !== null) known.add(seen.txID);
    for (const [wallet, mine] of Map.groupBy(bets, (call) => call.wallet)) {
      const before = balances.get(wallet);
      if (!before) continue;
      const total = mine.reduce((sum, { amount }) => (amount ? sum.plus(amount) : sum), Money.zero);
      const rest = before.minus(total);
      if (!rest.isNegative() && (group.length > 1 ? !rest.isZero() : rest.shift(LITTLE_PLACES).compare(before) > 0))
        continue;
      for (const { number, amount } of mine) if (amount) scarce.set(number, amount.minus(before));
    }
    for (const call of group) {
      const after = balanceAfter(call, group.length === 1);
      if (after !== undefined) balances.set(call.wallet, after);
    }
  }
  return scarce;
}

/** True for a bet with real money whose `txID` is new. */
function isNewBet({ seen, amount }: LoggedCall, known: ReadonlySet<string>): boolean {
  if (seen.call !== 'bet' || seen.type === 'free' || amount === null) return false;
  return !amount.isZero() && !amount.isNegative() && (seen.txID === null || !known.has(seen.txID));
}

/** Returns the balance after a call. Null if this balance is unknown, and undefined if the call did not change the balance. */
function balanceAfter({ seen, done, balance }: LoggedCall, isAlone: boolean): Money | null | undefined {
  if (!isAlone) return null;
  if (done === 'yes' && balance !== null) return balance;
  return seen.call === 'balance' || done === 'no' ? undefined : null;
}
