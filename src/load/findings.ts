import type { CallName } from '../contract/call-name.ts';
import { type RuleId, ruleById } from '../contract/catalogue.ts';
import { withoutPossibleSignatures } from '../journal/secrets/echoed-signatures.ts';

/** A problem that a reply, a repetition or a race showed. Problems with money are not among these: see quiet-point.ts. */
export interface LoadFinding {
  readonly rule: RuleId;
  readonly verdict: 'fail' | 'warn' | 'note';
  readonly call: CallName;
  readonly expected: string;
  readonly actual: string;
  readonly player: string;
  readonly sessionID: string;
  /** The txID of the first call that showed the problem; null if this was a balance call. */
  readonly txID: string | null;
  /** The trace of the first sending of this call. Left out for balance calls, and if the calls have no trace. */
  readonly traceID?: string;
  /** Time of the first occurrence, in milliseconds from the start. */
  readonly atMs: number;
}

/** A problem, together with the number of calls that showed it. Its details come from the first of these calls. */
export interface CountedFinding extends LoadFinding {
  readonly count: number;
}

/**
 * Counts problems by rule, call and verdict. So a problem that occurs in every reply needs no more memory than a problem that
 * occurs once.
 */
export class Findings {
  readonly #all = new Map<string, LoadFinding & { count: number }>();

  add(finding: LoadFinding): void {
    const key = `${finding.rule} ${finding.call} ${finding.verdict}`;
    const known = this.#all.get(key);
    if (known) known.count += 1;
    // A reply may contain the signature of its call. A load test keeps no signatures, so every text that may be one is cut.
    else this.#all.set(key, { ...finding, actual: withoutPossibleSignatures(finding.actual), count: 1 });
  }

  all(): readonly CountedFinding[] {
    return [...this.#all.values()];
  }
}

/** Returns the verdict of a breach by the level of its rule. */
export function verdictOfBreach(rule: RuleId): LoadFinding['verdict'] {
  const { level } = ruleById(rule);
  return level === 'MUST' ? 'fail' : level === 'SHOULD' ? 'warn' : 'note';
}
