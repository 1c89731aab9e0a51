import { Money } from '../../contract/money.ts';
import type { Account, BalanceAdjuster } from './balance-adjuster.ts';

/**
 * Maximum surplus of a wallet, in stakes. If a scenario leaves a larger surplus, croupier takes back the whole surplus directly
 * after the scenario.
 */
const MAX_SURPLUS = Money.of('100');
/**
 * Maximum deficit of a wallet, in stakes. If a scenario leaves a larger deficit, croupier pays back the whole deficit directly
 * after the scenario.
 */
const MAX_DEFICIT = Money.of('20');
/**
 * If a wallet has a deficit and its balance is below this number of stakes, the deficit is paid back at once. So a later scenario
 * has enough money: the built-in scenarios need at most 20 stakes, but scenarios of users may need more.
 */
const MIN_BALANCE = Money.of('200');

/** The amount by which all scenarios that have ended changed the balance of a wallet. */
interface Change {
  readonly account: Account;
  /** Negative if money is missing. */
  readonly amount: Money;
}

/** The result for a wallet whose balance could not be restored. */
export interface KeptChange {
  readonly sessionID: string;
  /** Negative if money is missing. */
  readonly amount: Money;
}

/**
 * Counts by how much the scenarios have changed the balance of each wallet since the beginning of the run. Restoring a balance
 * needs a bet, a win and a read. So croupier does not restore the balance after every scenario, but once at the end of the run.
 */
export class BalanceChanges {
  readonly #byWallet = new Map<string, Change>();
  /** The changes that the scenarios could not restore. croupier tries again only at the end of the run. */
  readonly #left = new Map<string, Change>();

  /** Returns the change of a wallet since the beginning of the run. Zero if there is none. */
  of(wallet: string): Money {
    return this.#byWallet.get(wallet)?.amount ?? Money.zero;
  }

  /**
   * True if a scenario does not have to restore the balance of a wallet from `now` to `before`, because the wallet's total change
   * in this run is small. If true, croupier restores the balance later, at the end of the run at the latest.
   */
  mayKeep(wallet: string, { denomination: { stake } }: Account, before: Money, now: Money): boolean {
    const all = this.of(wallet).plus(now.minus(before));
    return all.isNegative()
      ? all.negated().compare(stake.times(MAX_DEFICIT)) <= 0 && now.compare(stake.times(MIN_BALANCE)) >= 0
      : all.compare(stake.times(MAX_SURPLUS)) <= 0;
  }

  /**
   * Notes that a scenario has changed the balance of a wallet by this amount. croupier does not restore this balance now, but
   * later.
   */
  keep(wallet: string, account: Account, change: Money): void {
    this.#byWallet.set(wallet, { account: { ...account, scenario: null }, amount: this.of(wallet).plus(change) });
  }

  /**
   * Notes that the balance of a wallet could not be restored. `change` includes the changes of earlier scenarios, which `of`
   * returns. After this call, `of` returns 0: later scenarios begin with the balance that the wallet has now.
   */
  leave(wallet: string, account: Account, change: Money): void {
    const before = this.#left.get(wallet)?.amount ?? Money.zero;
    this.#left.set(wallet, { account: { ...account, scenario: null }, amount: before.plus(change) });
    this.clear(wallet);
  }

  /** Notes that a wallet again has the balance from before the run, apart from the changes that `leave` has noted. */
  clear(wallet: string): void {
    this.#byWallet.delete(wallet);
  }

  /** Forgets all changes of a wallet, because its balance was restored in another way. */
  forget(wallet: string): void {
    this.#byWallet.delete(wallet);
    this.#left.delete(wallet);
  }

  /** Returns the wallets whose balance differs from the balance before the run. */
  kept(): readonly KeptChange[] {
    return this.#all().flatMap(keptOf);
  }

  #all(): readonly Change[] {
    const wallets = new Set([...this.#byWallet.keys(), ...this.#left.keys()]);
    return [...wallets].flatMap((wallet) => {
      const [kept, left] = [this.#byWallet.get(wallet), this.#left.get(wallet)];
      const one = kept ?? left;
      return one ? [{ ...one, amount: kept && left ? kept.amount.plus(left.amount) : one.amount }] : [];
    });
  }

  /**
   * Restores all balances.
   *
   * @returns the changes of the wallets that could not be restored
   */
  async restore(adjuster: BalanceAdjuster): Promise<readonly KeptChange[]> {
    const results = await Promise.all(
      this.#all().map(async ({ account, amount }) => {
        if (amount.isZero()) return [];
        const now = await adjuster.read(account, 'restore');
        const wanted = now?.minus(amount);
        const back = now && wanted && (await adjuster.bring(account, now, wanted, 'restore'));
        return keptOf({ account, amount: back && wanted ? back.minus(wanted) : amount });
      }),
    );
    return results.flat();
  }
}

/**
 * Returns the change of a wallet. Leaves out a change of less than the smallest unit, because no call can restore such a change.
 */
function keptOf({ account: { sessionID, denomination }, amount }: Change): readonly KeptChange[] {
  return amount.absolute().compare(denomination.unit) < 0 ? [] : [{ sessionID, amount }];
}
