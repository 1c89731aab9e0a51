import type { RuleId } from '../contract/catalogue.ts';
import { REPLY_DEADLINE_MS } from '../contract/limits.ts';
import { type Behaviour, CORRECT } from './behaviour.ts';

/** The time limit of the service. Some defects and variants need it, for example a defect that replies too late. */
export interface Scale {
  /** The deadline of the service for a whole reply, in milliseconds. */
  readonly deadlineMs: number;
}

/** A named change of the correct operator. It is a defect or a variant. */
export interface Variation {
  /** The name. It needs no quotes in a shell. */
  readonly name: string;
  readonly description: string;
  /** Returns the steps that the variation changes. Called once for each operator, so that operators do not share state. */
  readonly change: (right: Behaviour, scale: Scale) => Partial<Behaviour>;
}

const CONTRACT_SCALE: Scale = { deadlineMs: REPLY_DEADLINE_MS };

/** Returns the correct behaviour with the variations applied one after the other. */
export function behaviourWith(variations: readonly Variation[], scale: Scale = CONTRACT_SCALE): Behaviour {
  let behaviour = CORRECT;
  for (const variation of variations) behaviour = { ...behaviour, ...variation.change(behaviour, scale) };
  return behaviour;
}

/** A deliberate fault of the reference operator. Its description reads like a bug report. */
export interface Defect extends Variation {
  /** The rules that the judge must report as broken, each at its level. */
  readonly breaks: readonly RuleId[];
  /** Further rules that the defect breaks in some runs, but not in every run. */
  readonly mayBreak?: readonly RuleId[];
  /** True if the defect breaks a MUST in a way that is only a warning, such as extra zeros. */
  readonly onlyWarns?: true;
  /** True if the defect leaves MUST rules untested. Then a run that reports no broken rule must end as undecided. */
  readonly leavesUntested?: true;
  /** True if the effects of the defect change, or appear only, when the operator restarts on its database. */
  readonly restarted?: true;
}

/** Another correct behaviour of an operator. It breaks no rule of level MUST. */
export interface Variant extends Variation {
  /** The rules of level SHOULD that the variant may break, which gives warnings and never failures. */
  readonly mayWarn?: readonly RuleId[];
  /**
   * True if the variant declines calls that tests need, for example because a player has no money. A run may then leave rules
   * untested, and end as undecided.
   */
  readonly declines?: true;
  /** True if accounts have a credit line, and the configuration of the run says so. */
  readonly credit?: true;
}
