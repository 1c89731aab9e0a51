import type { Money } from '../contract/money.ts';
import type { Answer } from './check.ts';
import type { ReplyReading } from './reading.ts';
import type { Part } from './story.ts';
import type { Wallet } from './wallet.ts';

/**
 * What has become of one of our transactions at the operator, as far as a conforming operator's answers tell.
 *
 * - `applied`: taken or credited
 * - `none`: answered with an error that says that nothing was done
 * - `refused`: answered 401, its txID is free
 * - `unknown`: it may have been carried out, now or later
 * - `reversed`: a bet that was refunded
 */
type TransactionState = 'applied' | 'none' | 'refused' | 'unknown' | 'reversed';

export interface Transaction {
  readonly txID: string;
  readonly part: Part;
  readonly amount: Money | undefined;
  /** null: a session that the operator never issued. */
  readonly wallet: Wallet | null;
  /** The sum that the call moves when it is carried out, signed. */
  readonly effect: Money;
  state: TransactionState;
  /** How it was answered last. */
  answer: Answer;
  /** The first reply with 200: what replays are compared with. */
  reply: ReplyReading | undefined;
}
