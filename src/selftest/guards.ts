import { RULES, type RuleId } from '../contract/catalogue.ts';
import type { Rule } from '../contract/rule.ts';
import type { Outcome } from './outcome.ts';

/** What the guards need to know of a scenario; one with several cases counts as one. */
export interface GuardedScenario {
  /** Without its case. */
  readonly scenarioId: string;
  readonly rules: readonly RuleId[];
}

/** Rules about how an operator launches games are judged on its own calls, which no operator of the matrix makes. */
function isPlayed({ group }: Rule): boolean {
  return group !== 'launch';
}

/** Rules that no scenario tests: a promise of the catalogue that nothing keeps. */
export function rulesWithoutScenario(scenarios: readonly GuardedScenario[]): readonly RuleId[] {
  const tested = new Set(scenarios.flatMap(({ rules }) => rules));
  return RULES.filter((rule) => isPlayed(rule) && !tested.has(rule.id)).map(({ id }) => id);
}

/** Binding rules that no defect breaks: nobody knows whether they can fail. */
export function rulesWithoutDefect(defects: readonly { readonly breaks: readonly RuleId[] }[]): readonly RuleId[] {
  const broken = new Set(defects.flatMap(({ breaks }) => breaks));
  return RULES.filter((rule) => isPlayed(rule) && rule.level !== 'NOTE' && !broken.has(rule.id)).map(({ id }) => id);
}

/** Scenarios for binding rules that raised no alarm about any defect: a check that can't fail is worse than none. */
export function idleScenarios(scenarios: readonly GuardedScenario[], outcomes: readonly Outcome[]): readonly string[] {
  const alarmed = new Set(outcomes.flatMap((outcome) => outcome.alarmed).map(withoutCase));
  const binding = new Set(RULES.filter(({ level }) => level !== 'NOTE').map(({ id }) => id));
  const able = scenarios.filter(({ rules }) => rules.some((rule) => binding.has(rule)));
  return [...new Set(able.map(({ scenarioId }) => scenarioId))].filter((id) => !alarmed.has(id));
}

function withoutCase(id: string): string {
  const at = id.indexOf('#');
  return at === -1 ? id : id.slice(0, at);
}
