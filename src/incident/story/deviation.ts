import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import type { ToldCall } from './told-call.ts';
import type { Transaction } from './transaction.ts';

/** A fault that explains a balance. */
export interface Cause {
  readonly rule: RuleId | null;
  readonly text: string;
  readonly transaction: Transaction;
  readonly by: Money;
  /** The call that sent it once more; null: it is not about one. */
  readonly repeat: ToldCall | null;
}

/** A balance that no lawful booking explains. */
export interface Deviation {
  /** The call whose answer showed it. */
  readonly call: ToldCall;
  readonly said: Money;
  readonly expected: Money;
  /** By how much the answer was off; negative: too little. */
  readonly by: Money;
  /** What explains exactly this; empty: nothing does. */
  readonly causes: readonly Cause[];
  /** The call that showed that it was put right; null: it was not, as far as is known. */
  readonly mendedBy: number | null;
}
