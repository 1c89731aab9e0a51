import type { RuleId } from '../contract/catalogue.ts';
import type { Variation } from './variation.ts';

/** A deliberate fault of the reference operator. Its description is what a bug report would say. */
export interface Defect extends Variation {
  /** The rules that a judge must report, each at its level. */
  readonly breaks: readonly RuleId[];
  /** Rules that it breaks as well, in ways that don't show in every run. */
  readonly mayBreak?: readonly RuleId[];
  /** True where its breach of a MUST is of the kind that only warns, such as zeros in excess. */
  readonly onlyWarns?: true;
  /** True where it shows in another way, or only, once the operator has been started anew upon its old books. */
  readonly restarted?: true;
}
