import type { RuleId } from '../../contract/catalogue.ts';
import type { KnownResult } from '../baseline.ts';
import { addUp, currencyAbove, highestSums, type MoneySums } from '../money-sums.ts';
import type { RuleResult } from '../rule-result.ts';
import { dependsOnMoment } from './chance.ts';

/** The sums by which balances were wrong in checks of a rule that a failure of another rule left undecided. */
interface UndecidedSums {
  /** For each currency, the highest sum of one scenario. */
  readonly highest: MoneySums;
  /** The rules whose failures explain these balances. */
  readonly because: ReadonlySet<RuleId>;
}

/**
 * Returns the sums by which balances were wrong in checks of an undecided rule. Scenarios with races or broken connections are left
 * out, because chance decides by how much their balances are wrong.
 */
export function undecidedSums({ findings }: RuleResult, rules: readonly RuleResult[]): UndecidedSums {
  const ofMoment = new Set(
    rules
      .filter(({ rule }) => dependsOnMoment(rule.id))
      .flatMap(({ places }) => places.map(({ scenario }) => scenario)),
  );
  const own = findings.filter(
    ({ verdict, because, wrongSum, scenario }) =>
      verdict === 'inconclusive' && because !== null && wrongSum !== undefined && !ofMoment.has(scenario),
  );
  const byScenario = Map.groupBy(own, ({ scenario }) => scenario);
  return {
    highest: highestSums([...byScenario.values()].map((all) => addUp(all.flatMap(({ wrongSum }) => wrongSum ?? [])))),
    because: new Set(own.flatMap(({ because }) => because ?? [])),
  };
}

/**
 * If the baseline allows that a rule stays undecided, but only for lower sums: returns the sums of this run and the sums that the
 * baseline allows, with the first currency that differs. Then a new bug may hide behind the known failures. Undefined otherwise.
 */
export function exceededUndecided(
  result: RuleResult,
  { rules, baseline }: { readonly rules: readonly RuleResult[]; readonly baseline: readonly KnownResult[] },
): { readonly sums: MoneySums; readonly limits: MoneySums; readonly currency: string } | undefined {
  const entries = baseline.filter(({ known }) => known.undecided && known.rule === result.rule.id);
  if (entries.length === 0) return undefined;
  const { highest: sums } = undecidedSums(result, rules);
  const exceeded = entries.map(({ known: { maxSums: limits = {} } }) => ({
    sums,
    limits,
    currency: currencyAbove(sums, limits),
  }));
  const [first] = exceeded;
  if (first?.currency === undefined || exceeded.some(({ currency }) => currency === undefined)) return undefined;
  return { ...first, currency: first.currency };
}
