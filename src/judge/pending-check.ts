import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { CallStep } from '../scenario/plan/plan.ts';

/** One way in which the next balance would be wrong if a rule were broken. */
export interface BalanceHypothesis {
  /** The difference to the right balance. */
  readonly by: Money;
  /** The event that would explain the difference, as a clause: "the bet was taken a second time". */
  readonly meaning: string;
  /** Rules whose breach would lead to the same difference. Example: a bet that was never taken cannot be refunded. */
  readonly causes?: readonly RuleId[];
  /** Unlikely: it may explain a difference alone, but not together with another breach. */
  readonly alone?: true;
}

/** A rule that the next idle read decides, for one step. */
export interface PendingCheck {
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  readonly step: CallStep;
  readonly exchange: string;
  readonly hypotheses: readonly BalanceHypothesis[];
  /** 0: a rule that the scenario is about. 1: a rule for every such call. If two rules explain a balance, the lower rank is reported. */
  readonly rank: 0 | 1;
  /** `linger`: decided only by a read after which no call can take effect any more. */
  readonly until: 'read' | 'linger';
  /** The right behaviour, as a clause. */
  readonly expected: string;
  /** True when the breach at this step was reported already: it still explains a wrong balance, but gives no second finding. */
  readonly reported: boolean;
}

/** A step that exists to observe the operator: its reply and its effect are noted at the next idle read. */
export interface Observation {
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  readonly step: CallStep;
  readonly exchange: string;
  /** The description of the reply. */
  readonly answered: string;
}
