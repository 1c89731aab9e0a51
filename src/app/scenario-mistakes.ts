import { applicableRules } from '../judge/checks/checks.ts';
import { byPlace, type Diagnostic, diagnosticAt } from '../scenario/yaml/diagnostic.ts';
import type { Suite, SuiteScenario } from './suite.ts';

/** Returns every mistake in the files of a suite, in the order of the files. `lint` and `run` refuse the same files. */
export function mistakesIn({ diagnostics, scenarios }: Suite): readonly Diagnostic[] {
  return [...diagnostics, ...unprovenClaims(scenarios)].sort(byPlace);
}

/** Returns a diagnostic for each rule in the list of a scenario that none of the scenario's cases can decide. */
function unprovenClaims(scenarios: readonly SuiteScenario[]): readonly Diagnostic[] {
  return [...Map.groupBy(scenarios, ({ source }) => source).values()].flatMap((cases) => {
    const [first] = cases;
    if (!first) return [];
    const open = new Map(first.claims.map((claim) => [claim.id, claim]));
    for (const scenario of cases) {
      // The first case can decide most rules. Another case is planned only while there is a rule that the cases so far cannot
      // decide.
      if (open.size === 0) break;
      for (const rule of applicableRules(scenario.plan(), [...open.keys()])) open.delete(rule);
    }
    return [...open.values()].map(({ id, place }) => {
      const start = (first.source.lineStarts[place.line - 1] ?? 0) + place.column - 1;
      return diagnosticAt(
        { source: first.source, start, end: start + id.length },
        `no step of this scenario can decide \`${id}\``,
        'remove the rule from `rules`, or add a step that can decide it',
      );
    });
  });
}
