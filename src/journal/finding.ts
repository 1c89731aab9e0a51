import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';

/** What can be said of a rule, gravest first. The gravest of several counts. */
export const VERDICTS = ['fail', 'inconclusive', 'warn', 'note', 'pass', 'skip', 'untested'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** The graver of two verdicts. */
export function graver(a: Verdict, b: Verdict): Verdict {
  return VERDICTS.indexOf(a) <= VERDICTS.indexOf(b) ? a : b;
}

/** Where something stands in a scenario file. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What a scenario itself demands beyond the rules is reported under this name, and fails a run like a MUST. */
export const EXPECTATION = 'expectation';

/** What was decided about one rule at one step of one scenario. */
export interface Finding {
  readonly rule: RuleId | typeof EXPECTATION;
  readonly verdict: Exclude<Verdict, 'untested'>;
  /** The endpoint that it is about, where a rule is judged for each. */
  readonly endpoint: CallName | null;
  /** Which step of the scenario, by the step's key. */
  readonly step: string | null;
  readonly place: Place | null;
  /** The exchange that shows it. */
  readonly exchange: string | null;
  /** Whole phrases for a person; text of the operator's in it is not yet escaped. */
  readonly expected: string;
  readonly actual: string;
  /** Rules whose breach, shown elsewhere, would explain exactly this observation too. */
  readonly causes: readonly RuleId[];
}
