import { Money } from '../../contract/money.ts';
import type { Account, BalanceAdjuster } from './balance-adjuster.ts';

/** Maximum surplus of a wallet, in stakes. A scenario that leaves more gives all of it back at once. */
const MAX_STAKES = Money.of('100');

/** A wallet that has more money than before the run, because of scenarios that have ended. */
interface Surplus {
  readonly account: Account;
  readonly amount: Money;
}

/** The result for a wallet whose surplus could not be given back. */
export interface KeptSurplus {
  readonly sessionID: string;
  readonly amount: Money;
}

/**
 * The money that scenarios have left in the wallets of a run. To give it back after every scenario would need a bet, a win and a
 * read each time, so the run gives it back at its end. A wallet never has less money than before the run: that would make a
 * later scenario fail for lack of money.
 */
export class Surpluses {
  readonly #byWallet = new Map<string, Surplus>();

  /** Returns the surplus of a wallet. Zero if it has none. */
  of(wallet: string): Money {
    return this.#byWallet.get(wallet)?.amount ?? Money.zero;
  }

  /** True if a scenario may end with this change of the balance. */
  mayKeep(wallet: string, { denomination: { stake } }: Account, change: Money): boolean {
    const all = this.of(wallet).plus(change);
    return !all.isNegative() && all.compare(stake.times(MAX_STAKES)) <= 0;
  }

  /** Notes that the balance of a wallet has changed by this amount and is not restored now. */
  keep(wallet: string, account: Account, change: Money): void {
    this.#byWallet.set(wallet, { account: { ...account, scenario: null }, amount: this.of(wallet).plus(change) });
  }

  /** Notes that a wallet has the same balance as before the run. */
  clear(wallet: string): void {
    this.#byWallet.delete(wallet);
  }

  /** Returns the wallets that have a surplus. */
  kept(): readonly KeptSurplus[] {
    return [...this.#byWallet.values()].flatMap(({ account: { sessionID }, amount }) =>
      amount.isZero() ? [] : [{ sessionID, amount }],
    );
  }

  /**
   * Gives back all surpluses.
   *
   * @returns the surpluses that could not be given back
   */
  async giveBack(adjuster: BalanceAdjuster): Promise<readonly KeptSurplus[]> {
    const results = await Promise.all(
      [...this.#byWallet.values()].map(async ({ account, amount }) => {
        if (amount.isZero()) return [];
        const now = await adjuster.read(account, 'restore');
        const wanted = now?.minus(amount);
        const back = now && wanted && (await adjuster.bring(account, now, wanted, 'restore'));
        return back && wanted && back.equals(wanted) ? [] : [{ sessionID: account.sessionID, amount }];
      }),
    );
    return results.flat();
  }
}
