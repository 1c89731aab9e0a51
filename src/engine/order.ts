import { createHash } from 'node:crypto';
import { RULE_GROUPS } from '../contract/rule.ts';
import type { RunnableScenario } from './run-options.ts';

/**
 * The order of a run: group by group, what others rest on first; within a group as the seed has it, so that nothing comes
 * to depend on an order. The same seed gives the same order.
 */
export function inOrder(scenarios: readonly RunnableScenario[], seed: string): RunnableScenario[] {
  const groups: readonly string[] = RULE_GROUPS;
  const rank = ({ id }: RunnableScenario): number => {
    const at = groups.indexOf(id.slice(0, id.indexOf('/')));
    return at < 0 ? groups.length : at;
  };
  return scenarios
    .map((scenario) => ({
      scenario,
      rank: rank(scenario),
      draw: createHash('sha256').update(`${seed} ${scenario.id}`).digest('hex'),
    }))
    .sort((a, b) => a.rank - b.rank || (a.draw < b.draw ? -1 : 1))
    .map(({ scenario }) => scenario);
}
