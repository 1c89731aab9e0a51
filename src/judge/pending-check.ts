import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { CallStep } from '../scenario/plan/plan.ts';

/** One wrong value that the next balance can have if a rule was broken. */
export interface BalanceHypothesis {
  /** The difference to the right balance. */
  readonly by: Money;
  /** The event that would explain the difference, as a clause, for example "the bet was taken a second time". */
  readonly meaning: string;
  /** Rules whose breach would also lead to this difference. Example: if the bet was never taken, it cannot be refunded. */
  readonly causes?: readonly RuleId[];
  /** True for an unlikely hypothesis. It may explain a difference alone, but it is never combined with another breach. */
  readonly alone?: true;
}

/** A rule that the next balance read decides, for one step. */
export interface PendingCheck {
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  readonly step: CallStep;
  readonly exchange: string;
  readonly hypotheses: readonly BalanceHypothesis[];
  /**
   * If two rules explain a wrong balance, the rule with the lower rank is reported. 0: a rule that the scenario is about. 1: a rule
   * about every call of a kind.
   */
  readonly rank: 0 | 1;
  /**
   * `read` if the next balance read decides the rule. `linger` if only a late read decides it, when no call can take effect any
   * more.
   */
  readonly until: 'read' | 'linger';
  /** The right behaviour, as a clause. */
  readonly expected: string;
  /** True if the breach at this step was already reported. It can still explain a wrong balance, but is not reported again. */
  readonly reported: boolean;
}

/**
 * A step that only shows how the operator behaves. After the next balance read, the operator's reply and its effect are reported as
 * a note.
 */
export interface Observation {
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  readonly step: CallStep;
  readonly exchange: string;
  /** The description of the reply. */
  readonly answered: string;
}
