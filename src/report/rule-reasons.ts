import type { Fold } from '../journal/fold.ts';
import type { RuleResult } from '../journal/rule-result.ts';

/** Rules that a selection left out on purpose: no scenario that was chosen is there for them. */
export function leftOutRules(fold: Fold): readonly RuleResult[] {
  if (fold.run.whole) return [];
  return fold.rules.filter(
    ({ verdict, scenarios, rule }) =>
      verdict === 'untested' &&
      scenarios.length === 0 &&
      !fold.run.scenarios.some(({ rules }) => rules.includes(rule.id)),
  );
}

/** Why a rule has the verdict that it has, in one sentence. */
export function reasonText({ reason, because, verdict }: RuleResult): string {
  const why = reason ?? (verdict === 'skip' ? 'no reason was given' : 'nothing says why');
  return because === null || why.includes(because) ? why : `${why} (because of ${because})`;
}
