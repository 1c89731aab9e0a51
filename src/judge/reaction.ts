import type { ReadResult } from './quiet-read.ts';
import type { Stop } from './stop.ts';
import type { Wallet } from './wallet.ts';

/** What is to be done after a call was judged. */
export interface Reaction {
  /** Wallets whose reply did not fit, to be read at once. */
  readonly read: readonly Wallet[];
  readonly result: ReadResult;
  /** null: the story goes on. */
  readonly stop: Stop | null;
}
