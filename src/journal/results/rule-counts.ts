import { VERDICTS, type Verdict } from '../finding.ts';
import type { Fold } from '../fold.ts';

/** Number of rules of a run, by verdict. */
export interface RuleCounts {
  readonly byVerdict: Readonly<Record<Verdict, number>>;
  /** Number of rules that failed, warned or passed, of every level. */
  readonly judged: number;
}

/**
 * Counts the rules of a run. All reports take their numbers of rules from this function, so that the numbers in all reports agree.
 */
export function countRules({ rules }: Pick<Fold, 'rules'>): RuleCounts {
  const byVerdict: Record<Verdict, number> = {
    fail: 0,
    inconclusive: 0,
    warn: 0,
    note: 0,
    pass: 0,
    skip: 0,
    untested: 0,
  };
  for (const { verdict } of rules) byVerdict[verdict] += 1;
  return { byVerdict, judged: byVerdict.fail + byVerdict.warn + byVerdict.pass };
}

/** Returns each verdict that at least one rule has, with the number of these rules, the most severe verdict first. */
export function shownCounts(
  fold: Pick<Fold, 'rules'>,
): readonly { readonly verdict: Verdict; readonly count: number }[] {
  const { byVerdict } = countRules(fold);
  return VERDICTS.map((verdict) => ({ verdict, count: byVerdict[verdict] })).filter(({ count }) => count > 0);
}
