import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import { applicableRules } from '../../judge/applies.ts';
import { type ScenarioDraft, writeScenario } from '../../scenario/write.ts';
import type { History, Player } from './operation.ts';
import { tell } from './teller.ts';
import { planOf } from './trial.ts';

/** What a history is about that is not known to show anything: that no money is lost. */
const ANY_RULE: RuleId = 'money.conservation';

/**
 * A history as a scenario.
 *
 * @param rules what it breaks; it claims those of them that it can decide
 */
export function draftOf(
  history: History,
  players: ReadonlySet<Player>,
  rules: readonly RuleId[],
  uuid: () => string,
): ScenarioDraft {
  const { needs, steps, always } = tell(history, players);
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
