import type { LoadTransaction } from './wallet.ts';

/** Number of transactions of all wallets that are kept. */
const MAX_KEPT = 2048;

/**
 * The latest transactions of all wallets. They are kept because a faulty operator may book the amount of one player in the
 * wallet of another player.
 */
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
