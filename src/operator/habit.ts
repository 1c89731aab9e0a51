import type { RuleId } from '../contract/catalogue.ts';
import type { Variation } from './variation.ts';

/** Another way of doing something right: no rule of level MUST is broken by it. */
export interface Habit extends Variation {
  /** Rules of level SHOULD whose breach is what the habit is about; a warning, never a failure. */
  readonly mayWarn?: readonly RuleId[];
}
