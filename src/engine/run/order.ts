import { createHash } from 'node:crypto';
import { ruleById } from '../../contract/catalogue.ts';
import { RULE_GROUPS } from '../../contract/rule.ts';
import type { RunnableScenario } from '../run-options.ts';

/**
 * Sorts the scenarios of a run by group. Basic groups come first, because later groups use what croupier learns there, such as
 * limits of bets. In each group, the scenarios of a quick run come first, because they find most faults with few calls. Otherwise
 * the order is random, so that no scenario can depend on the order. The same seed always gives the same order.
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
    .sort(
      (a, b) => a.rank - b.rank || Number(b.scenario.quick) - Number(a.scenario.quick) || (a.draw < b.draw ? -1 : 1),
    )
    .map(({ scenario }) => scenario);
}

/** The scenarios of a run in phases, which are played one after another. */
interface Phases {
  /** Scenarios that test whether players are isolated from each other. */
  readonly isolation: readonly RunnableScenario[];
  readonly main: readonly RunnableScenario[];
  /** Scenarios that are played after the main scenarios. The scenarios of `launches` are not among them. */
  readonly last: readonly RunnableScenario[];
  /** Scenarios about the launches by the operator's backend. They are played at the very end. */
  readonly launches: readonly RunnableScenario[];
}

/** Divides scenarios into the phases of a run. Within a phase, the scenarios keep their order. */
export function inPhases(scenarios: readonly RunnableScenario[]): Phases {
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
