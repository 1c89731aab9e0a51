import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { CallStep } from '../scenario/plan.ts';

/** One way in which a quiet read would differ from what is right, if a rule were broken. */
export interface Offset {
  readonly by: Money;
  /** What would have happened, as a clause: "the bet was taken a second time". */
  readonly meaning: string;
  /** Rules whose breach would lead to the same: a bet that was never taken can't be given back. */
  readonly causes?: readonly RuleId[];
  /** So odd that it explains a sum by itself only, not together with another breach. */
  readonly alone?: true;
}

/** A rule that the next quiet read decides, for one step. */
export interface Obligation {
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  readonly step: CallStep;
  readonly exchange: string;
  readonly offsets: readonly Offset[];
  /** 0: what the story is about. 1: what holds for every such call. Where two would explain a number, the lower one does. */
  readonly rank: 0 | 1;
  /** `linger`: only a read after which nothing can land any more clears it. */
  readonly until: 'read' | 'linger';
  /** What is right, as a clause. */
  readonly expected: string;
  /** The rule was found broken at this step already: a wrong balance explains itself by it, but makes no further finding. */
  readonly reported: boolean;
}

/** Something that is written down at the next quiet read, whatever it shows. */
export interface Observation {
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  readonly step: CallStep;
  readonly exchange: string;
  /** What was asked, and how it was answered. */
  readonly answered: string;
}
