import type { RuleId } from '../contract/catalogue.ts';
import type { Plan } from '../scenario/plan.ts';
import { checksOf } from './checks/all.ts';
import { Story } from './story.ts';

/** The rules that a plan can decide: those that apply to at least one of its steps. What a scenario claims must be among them. */
export function applicableRules(plan: Plan): Set<RuleId> {
  const story = new Story(plan);
  return new Set(story.parts.flatMap((part) => checksOf(part, story).map(([rule]) => rule)));
}
