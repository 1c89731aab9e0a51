import { applicableRules } from '../judge/applies.ts';
import { type Complaint, complaintAt } from '../scenario/complaint.ts';
import type { SuiteScenario } from './suite.ts';

/** A complaint for each rule that a scenario names though none of its cases can decide it. */
export function unprovenClaims(scenarios: readonly SuiteScenario[]): readonly Complaint[] {
  return [...Map.groupBy(scenarios, ({ source }) => source).values()].flatMap((cases) => {
    const [first] = cases;
    if (!first) return [];
    const open = new Map(first.claims.map((claim) => [claim.id, claim]));
    for (const scenario of cases) {
      // Most claims are proven by the first case; the others need not be planned then.
      if (open.size === 0) break;
      for (const rule of applicableRules(scenario.plan(), [...open.keys()])) open.delete(rule);
    }
    return [...open.values()].map(({ id, place }) => {
      const start = (first.source.lineStarts[place.line - 1] ?? 0) + place.column - 1;
      return complaintAt(
        { source: first.source, start, end: start + id.length },
        `no step of this scenario can decide \`${id}\``,
        'remove it, or add the step that it is about',
      );
    });
  });
}
