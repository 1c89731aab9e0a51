import { applicableRules } from '../judge/applies.ts';
import { type Complaint, complaintAt } from '../scenario/complaint.ts';
import type { SuiteScenario } from './suite.ts';

/** A complaint for each rule that a scenario names though none of its cases can decide it. */
export function unprovenClaims(scenarios: readonly SuiteScenario[]): readonly Complaint[] {
  return [...Map.groupBy(scenarios, ({ source }) => source).values()].flatMap((cases) => {
    const [first] = cases;
    if (!first) return [];
    const decided = new Set(cases.flatMap((scenario) => [...applicableRules(scenario.plan())]));
    return first.claims.flatMap(({ id, place }) => {
      if (decided.has(id)) return [];
      const start = (first.source.lineStarts[place.line - 1] ?? 0) + place.column - 1;
      return [
        complaintAt(
          { source: first.source, start, end: start + id.length },
          `no step of this scenario can decide \`${id}\``,
          'remove it, or add the step that it is about',
        ),
      ];
    });
  });
}
