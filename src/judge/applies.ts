import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Plan } from '../scenario/plan.ts';
import { applies } from './checks/all.ts';
import { Story } from './story.ts';

/** Those of the rules that a plan can decide: they apply to at least one of its steps. What a scenario claims must be among them. */
export function applicableRules(plan: Plan, rules: readonly RuleId[]): RuleId[] {
  const story = new Story(plan);
  const seesLaunches = plan.steps.some(({ kind }) => kind === 'launches');
  return rules.filter((rule) =>
    ruleById(rule).group === 'launch' ? seesLaunches : story.parts.some((part) => applies(rule, part, story)),
  );
}
