import type { Money } from '../../contract/money.ts';
import type { JournalEvent } from '../../journal/event.ts';

/**
 * The balances that scenarios have left. The next scenario begins with such a balance and needs no read of its own, if no call
 * was sent in between.
 */
export class KnownBalances {
  readonly #balances = new Map<string, { readonly balance: Money; readonly calls: number }>();
  #calls = 0;
  #lastIsRead = false;

  /** Counts the calls of the run. */
  note(event: JournalEvent): void {
    if (event.event !== 'sending') return;
    this.#calls += 1;
    this.#lastIsRead = event.call === 'balance';
  }

  /**
   * Remembers the balances that were read last, by wallet. Does nothing if another call came after the last read, because an
   * operator may move money by mistake. The win of 0 that completes a round is such a call.
   */
  remember(balances: ReadonlyMap<string, Money>): void {
    if (!this.#lastIsRead) return;
    for (const [wallet, balance] of balances) this.#balances.set(wallet, { balance, calls: this.#calls });
  }

  /** Returns the balance of a wallet. Undefined if it is not known, or if a call was sent since it was read. */
  of(wallet: string): Money | undefined {
    const known = this.#balances.get(wallet);
    return known?.calls === this.#calls ? known.balance : undefined;
  }
}
