import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { Suspicion } from './explanation.ts';

/** A suspicion with the trace of the first sending of its transaction; undefined if the calls are not traced. */
interface TracedSuspicion extends Suspicion {
  readonly traceID: string | undefined;
}

/** A wallet whose balance differs from the balance that follows from the operator's answers. */
export interface MoneyProblem {
  readonly player: string;
  readonly sessionID: string;
  readonly currency: string | undefined;
  readonly decimals: number;
  readonly rule: RuleId;
  readonly expected: Money;
  readonly shown: Money;
  /** The transactions that explain the difference. Empty if no transactions explain it. */
  readonly suspicions: readonly TracedSuspicion[];
  /** True if other transactions explain the difference as well. */
  readonly isOneOfSeveral: boolean;
  /** Number of transactions since the balance was last right. */
  readonly windowSize: number;
  /** The time of the read that showed the wrong balance, in milliseconds from the start. */
  readonly atMs: number;
  /** True if no transaction explains the difference, so that somebody else may have changed the balance. */
  readonly isDrift: boolean;
  /** True if the balance changed while croupier sent nothing. */
  readonly hasMovedInSilence: boolean;
}
