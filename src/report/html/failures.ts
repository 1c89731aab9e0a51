import type { Fold } from '../../journal/fold.ts';
import type { ScenarioResult } from '../../journal/scenario-result.ts';

/**
 * The part of a scenario that the page shows at once. `whole`: its findings and each of its steps. `findings`: its findings with their
 * calls. `folded`: only its title.
 */
export type ScenarioView = 'whole' | 'findings' | 'folded';

/** Maximum number of causes whose scenarios are shown with each of their steps. With more causes, the page would be too long. */
const MAX_WHOLE = 3;

/**
 * Returns the ids of the failed scenarios in the order in which the page shows them. First comes the scenario of each cause, in the
 * order of the causes. Then come the other scenarios. A scenario is folded if it shows only rules that a cause explains, because it
 * repeats what is shown above it.
 */
export function failuresInOrder({ causes, scenarios }: Fold): ReadonlyMap<string, ScenarioView> {
  const failed = scenarios.filter(({ verdict }) => verdict === 'fail');
  const isFailed = (id: string): boolean => failed.some(({ planned }) => planned.id === id);
  const first = causes.flatMap(({ mainFinding }) => mainFinding?.scenario ?? []).filter(isFailed);
  const explained = new Set<string>(
    causes.flatMap(({ result, explains }) => [result.rule.id, ...explains.map(({ rule }) => rule)]),
  );
  const shows = ({ findings }: ScenarioResult): boolean =>
    findings.some(({ verdict, rule }) => verdict === 'fail' && !explained.has(rule));
  const isRepeated = (one: ScenarioResult): boolean => first.length > 0 && one.findings.length > 0 && !shows(one);
  return new Map<string, ScenarioView>([
    ...first.map((id) => [id, causes.length <= MAX_WHOLE ? 'whole' : 'findings'] as const),
    ...failed
      .filter(({ planned }) => !first.includes(planned.id))
      .toSorted((a, b) => Number(isRepeated(a)) - Number(isRepeated(b)))
      .map((one) => [one.planned.id, isRepeated(one) ? 'folded' : 'findings'] as const),
  ]);
}
