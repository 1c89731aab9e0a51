import type { RequiredResult } from './event.ts';
import type { Verdict } from './finding.ts';
import type { Fold } from './fold.ts';
import { isExcused, isHidden, isKnownCause, isListedUndecided, isUndecided } from './results/excused.ts';

/** A rule or scenario that the user requires, with its result. */
export interface RequiredOutcome extends RequiredResult {
  readonly verdict: Verdict;
  /** The reason why the rule or scenario has no decision; null if it has a decision. */
  readonly reason: string | null;
  /**
   * True if the run decided the rule or scenario, or if the scenario may be skipped. Also true if only a known failure of the baseline
   * prevented the decision; but at least one check of a rule must have a decision, or the baseline must list the rule.
   */
  readonly isMet: boolean;
}

const UNDECIDED: readonly Verdict[] = ['skip', 'inconclusive', 'untested'];

type Results = Pick<Fold, 'run' | 'rules' | 'scenarios' | 'baseline'>;

/** Returns the result of each rule and scenario that the user requires, in the order of the journal. */
export function requiredOutcomes(fold: Results): readonly RequiredOutcome[] {
  return (fold.run.required ?? []).map((required) => {
    const { verdict, reason, isExcused } = resultOf(required, fold);
    const isOpen = UNDECIDED.includes(verdict);
    return { ...required, verdict, reason: isOpen ? reason : null, isMet: !isOpen || isExcused };
  });
}

/**
 * Returns the required rules and scenarios that the run did not decide. For a part of a divided run, returns an empty list, because
 * another part may decide them. They count when the parts are merged.
 */
export function unmetRequirements(fold: Results): readonly RequiredOutcome[] {
  return fold.run.shard === undefined ? requiredOutcomes(fold).filter(({ isMet }) => !isMet) : [];
}

interface Result {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly isExcused: boolean;
}

function resultOf({ kind, id, maySkip }: RequiredResult, fold: Results): Result {
  const { run, rules, scenarios, baseline } = fold;
  if (kind === 'scenario') {
    const found = scenarios.find(({ planned }) => planned.id === id);
    if (!found) return { verdict: 'untested', reason: 'this run does not have it', isExcused: false };
    const open = found.findings.filter(({ verdict }) => verdict === 'inconclusive');
    const isExcused =
      (found.verdict === 'inconclusive' &&
        open.length > 0 &&
        open.every(
          ({ rule, because }) => isListedUndecided(rule, baseline) || (because !== null && isKnownCause(because, fold)),
        )) ||
      // A scenario that the operator declined has findings.
      (maySkip === true && found.verdict === 'skip' && found.findingCount === 0);
    return { verdict: found.verdict, reason: found.reason ?? 'the reason is unknown', isExcused };
  }
  const found = rules.find(({ rule }) => rule.id === id);
  if (!found) return { verdict: 'untested', reason: 'this version of croupier does not have it', isExcused: false };
  const { verdict } = found;
  const isTried = verdict !== 'untested' || run.scenarios.some((planned) => planned.rules.includes(found.rule.id));
  return {
    verdict,
    reason: isTried ? (found.reason ?? 'the reason is unknown') : 'no scenario of this run tests it',
    isExcused: isUndecided(found) && isExcused(found, fold) && !isHidden(found, fold),
  };
}
