import type { LoadTransaction } from './wallet.ts';

/** Number of transactions of all wallets that are kept. */
const MAX_KEPT = 2048;

/** The latest transactions of all wallets. A fault may book the amount of one player to another one. */
export class RecentTransactions {
  readonly #kept: LoadTransaction[] = [];
  #next = 0;

  add(transaction: LoadTransaction): void {
    this.#kept[this.#next] = transaction;
    this.#next = (this.#next + 1) % MAX_KEPT;
  }

  all(): readonly LoadTransaction[] {
    return this.#kept;
  }
}
