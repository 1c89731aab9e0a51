import { createHash } from 'node:crypto';
import { ruleById } from '../contract/catalogue.ts';
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

/** The scenarios of a run by when they are played, one act after the other. */
interface Acts {
  /** Whether players are kept apart. */
  readonly isolation: readonly RunnableScenario[];
  readonly main: readonly RunnableScenario[];
  /** What waits until all others are done. */
  readonly last: readonly RunnableScenario[];
  /** Of the last: what the operator's own calls show. */
  readonly launches: readonly RunnableScenario[];
}

/** Puts scenarios into the acts of a run; within each they stay in the order given. */
export function inActs(scenarios: readonly RunnableScenario[]): Acts {
  const first = scenarios.filter(({ last }) => !last);
  const later = scenarios.filter(({ last }) => last);
  return {
    isolation: first.filter(isIsolation),
    main: first.filter((scenario) => !isIsolation(scenario)),
    last: later.filter((scenario) => !isOfLaunches(scenario)),
    launches: later.filter(isOfLaunches),
  };
}

function isIsolation({ rules }: RunnableScenario): boolean {
  return rules.includes('session.isolated');
}

function isOfLaunches({ rules }: RunnableScenario): boolean {
  return rules.some((rule) => ruleById(rule).group === 'launch');
}
