import { conclude } from '../../journal/conclusion.ts';
import type { Fold } from '../../journal/fold.ts';
import { failuresAsKnown, undecidedEntries } from './baseline.ts';

/**
 * A baseline of this run lists its failures. Returns the first line of the report that the same run would have with this baseline, if
 * the run would still be undecided. For example, the wallet answers no bet, so nearly no rule was tested. Null otherwise.
 */
export function whyStillUndecided(fold: Fold): string | null {
  const listed = undecidedEntries(fold, []).map(({ rule }) => rule);
  const undecided = fold.rules
    .filter(({ rule }) => listed.includes(rule.id))
    .map(({ rule: { id }, checks }) => ({
      known: { ...NO_PLACE, rule: id, undecided: true as const },
      state: 'undecided' as const,
      failed: 0,
      checks,
    }));
  const current = fold.baseline.filter(({ state }) => state !== 'fixed' && state !== 'expired');
  const { exitCode, firstLine } = conclude({
    ...fold,
    rules: fold.rules.map((result) => ({ ...result, isKnown: result.verdict === 'fail', isWorse: false })),
    baseline: [...current, ...failuresAsKnown(fold), ...undecided],
  });
  return exitCode === 3 ? firstLine : null;
}

/** The fields of an entry for a whole rule. */
const NO_PLACE = { endpoint: null, scenario: null, reason: '', ticket: '', expires: '', line: 0, tried: false };
