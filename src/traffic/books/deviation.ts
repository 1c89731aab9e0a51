import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import type { Transaction } from '../calls/transaction.ts';

/** An error of the operator that explains a wrong balance. */
export interface Cause {
  readonly rule: RuleId | null;
  readonly text: string;
  readonly transaction: Transaction;
  readonly by: Money;
  /** The call that was sent again and was carried out a second time. Null for any other error. */
  readonly repeat: LoggedCall | null;
}

/** A balance in a reply that is impossible if the operator kept the contract in all calls up to this reply. */
export interface Deviation {
  /** The call whose reply contained the balance. */
  readonly call: LoggedCall;
  readonly said: Money;
  readonly expected: Money;
  /** The difference from the expected balance; negative if the balance is too small. */
  readonly by: Money;
  /** The errors that together explain the difference exactly; empty if no known error explains it. */
  readonly causes: readonly Cause[];
  /** Other sets of errors that explain the difference equally well. The logs do not show which set is the right one. */
  readonly otherCauses: readonly (readonly Cause[])[];
  /** The call whose reply contained the last balance before this one; null if there is none. */
  readonly after: LoggedCall | null;
  /** The number of the call whose reply shows that the balance was corrected; null if no reply shows this. */
  readonly fixedBy: number | null;
}

/** True if the reply to a repeated call proves the error: its `txID` differs from the `txID` of the first reply. */
export function isProvenByReply({ repeat, transaction }: Pick<Cause, 'repeat' | 'transaction'>): boolean {
  if (repeat === null || repeat.replyTxID === null) return false;
  const first = transaction.attempts.find(({ done, replyTxID }) => done === 'yes' && replyTxID !== null);
  return first !== undefined && first.replyTxID !== repeat.replyTxID;
}
