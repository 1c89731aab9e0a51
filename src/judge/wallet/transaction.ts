import type { Money } from '../../contract/money.ts';
import type { TransactionState } from '../../ledger/transaction.ts';
import type { Answer } from '../../reply/classify.ts';
import type { ReplyReading } from '../../reply/read.ts';
import type { PlannedCall } from '../planned-calls.ts';
import type { Wallet } from './wallet.ts';

/** One transaction of a scenario. */
export interface Transaction {
  readonly txID: string;
  readonly planned: PlannedCall;
  readonly amount: Money | undefined;
  /** The wallet of the session. null if the operator never issued the session. */
  readonly wallet: Wallet | null;
  /** The signed amount that the call moves if it is carried out. */
  readonly effect: Money;
  /** For a bet that took a wrong amount: this amount, if a balance read has shown it. */
  taken?: Money;
  state: TransactionState;
  /** The answer to the first call. If repeated calls were accepted, the answer to the last accepted call. */
  answer: Answer;
  /** The first reply with 200. The replies to repeated calls are compared with this reply. */
  reply: ReplyReading | undefined;
}
