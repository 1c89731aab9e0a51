import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import type { LoggedCall } from './logged-call.ts';
import type { Transaction } from './transaction.ts';

/** An error that explains a balance. */
export interface Cause {
  readonly rule: RuleId | null;
  readonly text: string;
  readonly transaction: Transaction;
  readonly by: Money;
  /** The repeated call that was carried out a second time; null: the error is another one. */
  readonly repeat: LoggedCall | null;
}

/** A balance that does not follow from the calls if the operator keeps the contract. */
export interface Deviation {
  /** The call whose answer contained it. */
  readonly call: LoggedCall;
  readonly said: Money;
  readonly expected: Money;
  /** The difference to the expected balance; negative: too little. */
  readonly by: Money;
  /** The errors that explain it exactly; empty: nothing explains it. */
  readonly causes: readonly Cause[];
  /** The call whose answer shows that it was corrected; null: no answer does. */
  readonly fixedBy: number | null;
}
