import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';

/** All verdicts on a rule, most severe first. The most severe of several counts. */
export const VERDICTS = ['fail', 'inconclusive', 'warn', 'note', 'pass', 'skip', 'untested'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** The more severe of two verdicts. */
export function graver(a: Verdict, b: Verdict): Verdict {
  return VERDICTS.indexOf(a) <= VERDICTS.indexOf(b) ? a : b;
}

/** A position in a scenario file. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The name under which a missed expectation of a scenario is reported. It fails a run like a MUST. */
export const EXPECTATION = 'expectation';

/** The verdict on one rule at one step of one scenario. */
export interface Finding {
  readonly rule: RuleId | typeof EXPECTATION;
  readonly verdict: Exclude<Verdict, 'untested'>;
  /** The endpoint, if the rule is judged separately for each. */
  readonly endpoint: CallName | null;
  /** Key of the step. */
  readonly step: string | null;
  readonly place: Place | null;
  /** Id of the exchange that shows it. */
  readonly exchange: string | null;
  /** A sentence for a person. Text of the operator in it is not yet escaped. */
  readonly expected: string;
  readonly actual: string;
  /** Other rules whose breach would explain this finding. */
  readonly causes: readonly RuleId[];
}
