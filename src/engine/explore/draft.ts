import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import { applicableRules } from '../../judge/checks/checks.ts';
import { loadScenario } from '../../scenario/load.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import { planScenario } from '../../scenario/plan/planner.ts';
import { type ScenarioDraft, writeScenario } from '../../scenario/write.ts';
import { renderDiagnostic } from '../../scenario/yaml/diagnostic.ts';
import { buildScenario } from './build-scenario.ts';
import type { History, Player } from './operation.ts';

/**
 * A scenario must list at least one rule. If the scenario can decide none of the rules that its history breaks, it lists
 * `money.conservation`: no money is lost.
 */
const ANY_RULE: RuleId = 'money.conservation';

/**
 * Writes a history as a scenario.
 *
 * @param rules the rules that the history breaks; the scenario lists those that it can decide
 */
export function draftOf(
  history: History,
  players: ReadonlySet<Player>,
  rules: readonly RuleId[],
  uuid: () => string,
): ScenarioDraft {
  const { needs, steps, always } = buildScenario(history, players);
  const [first] = rules;
  const draft = (claims: readonly RuleId[]): ScenarioDraft => ({
    title: first === undefined ? 'A history' : sentenceOf(first),
    rules: claims,
    ...(Object.keys(needs).length > 0 && { needs }),
    steps,
    ...(always.length > 0 && { always }),
  });
  if (first === undefined) return draft([ANY_RULE]);
  const plan = planOf('claims', 'claims.yaml', writeScenario(draft([ANY_RULE])), uuid);
  const provable = applicableRules(plan, rules);
  return draft(provable.length > 0 ? provable : [ANY_RULE]);
}

function sentenceOf(rule: RuleId): string {
  const { sentence } = ruleById(rule);
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`;
}

/**
 * Plans a scenario from its text.
 *
 * @throws Error if the text is not a valid scenario, which is a bug of croupier
 */
export function planOf(id: string, file: string, text: string, uuid: () => string): Plan {
  const { scenario, diagnostics } = loadScenario(text, file, { id, readFragment: () => undefined });
  if (!scenario)
    throw new Error(
      `croupier has generated a scenario that it cannot read, which is a bug of croupier:\n${diagnostics.map(renderDiagnostic).join('\n')}`,
    );
  return planScenario(scenario, undefined, { uuid });
}
