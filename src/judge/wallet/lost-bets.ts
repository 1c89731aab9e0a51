import { Money } from '../../contract/money.ts';

/** The rules that a debit breaks if it takes effect after the refund of its bet was answered 200. */
type LateDebitRule = 'refund.broken-connection' | 'refund.after-error';

/** A bet without a reply in time, whose refund was answered 200. The operator must not take it any more. */
export interface LostBet {
  readonly txID: string;
  readonly amount: Money;
  /** The scenario that sent the bet. */
  readonly scenario: string | null;
  readonly rule: LateDebitRule;
}

/** The lost bets of a run, by wallet. A debit may take effect so late that another scenario sees it. */
export class LostBets {
  readonly #bets = new Map<string, Set<LostBet>>();

  add(walletID: string, bet: LostBet): void {
    const bets = this.#bets.get(walletID) ?? new Set<LostBet>();
    this.#bets.set(walletID, bets.add(bet));
  }

  /**
   * Returns the lost bets of a wallet whose sum is exactly the sum by which the balance is too low. All of them are bets of one
   * scenario, whose amounts differ, so that the sum names the bets. undefined if there are none.
   */
  ofFall(walletID: string, fall: Money): readonly LostBet[] | undefined {
    if (fall.isZero() || fall.isNegative()) return undefined;
    const ofScenario = Map.groupBy(this.#bets.get(walletID) ?? [], ({ scenario }) => scenario);
    for (const bets of ofScenario.values()) {
      const found = withSum(bets.slice(-MAX_BETS), fall);
      if (found) return found;
    }
    return undefined;
  }

  /** Removes bets that explain a balance, because they cannot explain another one. */
  remove(walletID: string, bets: readonly LostBet[]): void {
    for (const bet of bets) this.#bets.get(walletID)?.delete(bet);
  }
}

/** Maximum number of lost bets of a scenario that are added up. */
const MAX_BETS = 10;

/** Returns the fewest bets that have this sum together. */
function withSum(bets: readonly LostBet[], sum: Money): readonly LostBet[] | undefined {
  const sets: (readonly LostBet[])[] = [[]];
  for (const bet of bets) for (const set of sets.slice()) sets.push([...set, bet]);
  return sets
    .filter((set) => set.reduce((total, { amount }) => total.plus(amount), Money.zero).equals(sum))
    .toSorted((one, other) => one.length - other.length)[0];
}

/** Returns a clause that says that lost bets of one scenario were taken late. */
export function describeLateDebit(bets: readonly LostBet[]): string {
  const amounts = bets.map(({ amount }) => amount.toString()).join(' and ');
  const of = bets[0]?.scenario == null ? '' : ` of ${bets[0].scenario}`;
  return bets.length === 1
    ? `the lost bet of ${amounts}${of} was taken after its refund was answered 200`
    : `the lost bets of ${amounts}${of} were taken after their refunds were answered 200`;
}
