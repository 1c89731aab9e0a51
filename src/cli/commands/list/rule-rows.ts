import type { SuiteScenario } from '../../../app/suite.ts';
import type { Rule } from '../../../contract/catalogue.ts';

/** Returns rules as `croupier list --json` prints them, each with the scenarios that test it. */
export function ruleRows(chosen: readonly Rule[], scenarios: readonly SuiteScenario[]) {
  return chosen.map(({ id, level, money, clause, sentence, means, hint, since }) => ({
    id,
    level,
    money,
    clause,
    sentence,
    means,
    hint,
    since,
    scenarios: [...new Set(scenarios.filter(({ rules }) => rules.includes(id)).map(({ scenarioId }) => scenarioId))],
  }));
}
