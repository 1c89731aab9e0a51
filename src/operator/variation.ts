import type { RuleId } from '../contract/catalogue.ts';
import { REPLY_DEADLINE_MS } from '../contract/limits.ts';
import { type Behaviour, CORRECT } from './behaviour.ts';

/** The time scale of variations. */
export interface Scale {
  /** The deadline of the service for a whole reply, in milliseconds. */
  readonly deadlineMs: number;
}

/** A named change of the correct operator. */
export interface Variation {
  /** Safe in a shell without quotes. */
  readonly name: string;
  readonly description: string;
  /** The steps that it changes. Called once for each operator, so that operators do not share state. */
  readonly change: (right: Behaviour, scale: Scale) => Partial<Behaviour>;
}

const CONTRACT_SCALE: Scale = { deadlineMs: REPLY_DEADLINE_MS };

/** The correct behaviour with the variations applied one after the other. */
export function behaviourWith(variations: readonly Variation[], scale: Scale = CONTRACT_SCALE): Behaviour {
  let behaviour = CORRECT;
  for (const variation of variations) behaviour = { ...behaviour, ...variation.change(behaviour, scale) };
  return behaviour;
}

/** A deliberate fault of the reference operator. Its description reads like a bug report. */
export interface Defect extends Variation {
  /** The rules that the judge must report, each at its level. */
  readonly breaks: readonly RuleId[];
  /** Further rules that it breaks, but not in every run. */
  readonly mayBreak?: readonly RuleId[];
  /** True if its breach of a MUST only warns, such as extra zeros. */
  readonly onlyWarns?: true;
  /** True if it shows differently, or only, after a restart of the operator on its database. */
  readonly restarted?: true;
}

/** Another correct way to do something: it breaks no rule of level MUST. */
export interface Variant extends Variation {
  /** The rules of level SHOULD that the variant breaks: warnings, never failures. */
  readonly mayWarn?: readonly RuleId[];
}
