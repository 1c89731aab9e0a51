import type { RuleId } from '../contract/catalogue.ts';
import type { Behaviour } from '../operator/behaviour.ts';
import type { Scale } from '../operator/variation.ts';

/** The correct operator plainly, in one of its habits, with one defect, or with several at once. */
export type TrialKind = 'correct' | 'habit' | 'defect' | 'several';

/** One operator that croupier's judgement is tried on, and what a right judgement of it is. */
export interface Trial {
  /** What it is called where trials are chosen: `correct`, a habit, a defect, or defects joined by `+`. */
  readonly name: string;
  readonly kind: TrialKind;
  /** The rules of each defect, a list to a defect. Every list must be found; correct operators have none. */
  readonly breaks: readonly (readonly RuleId[])[];
  /** May be reported as well, or not. */
  readonly mayBreak: readonly RuleId[];
  /** True: the operator is started anew upon its old books after a first run, and a second run sends transactions of it again. */
  readonly restarted: boolean;
  /** Must a run against it end as not conforming? */
  readonly mustFail: boolean;
  readonly behaviour: (scale: Scale) => Behaviour;
}
