import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Outcome } from './outcome.ts';

/** A scenario as far as it matters here; its cases count together. */
interface Guarded {
  /** Without its case. */
  readonly scenarioId: string;
  readonly rules: readonly RuleId[];
}

/**
 * Scenarios that raised no alarm about any defect: a check that can't fail is worse than none. Those that only write down
 * what the contract leaves open can raise none, and are not meant.
 *
 * @returns ids without a case
 */
export function idleScenarios(scenarios: readonly Guarded[], outcomes: readonly Outcome[]): readonly string[] {
  const alarmed = new Set(outcomes.flatMap((outcome) => outcome.alarmed).map(withoutCase));
  const able = scenarios.filter(({ rules }) => rules.some((rule) => ruleById(rule).level !== 'NOTE'));
  return [...new Set(able.map(({ scenarioId }) => scenarioId))].filter((id) => !alarmed.has(id));
}

function withoutCase(id: string): string {
  const at = id.indexOf('#');
  return at === -1 ? id : id.slice(0, at);
}
