import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import { CONTRACT_VERSION, hasDecimalAmounts, isThere } from '../../contract/versions.ts';
import type { Finding } from '../../journal/finding.ts';
import { givesDecimals } from '../../judge/checks/planned-amount.ts';
import { callsOf } from '../../scenario/plan/calls-of-step.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import type { NotPlayable, RunnableScenario, RunOptions, SessionUnderTest } from '../run-options.ts';

/** Records that a scenario is not played, with the reason. */
export function recordNotPlayed(scenario: RunnableScenario, notPlayable: NotPlayable, options: RunOptions): void {
  const { id } = scenario;
  const { verdict, reason, declined } = notPlayable;
  const { record, now } = options;
  record({ event: 'scenario-started', scenario: id, attempt: 1, at: now(), sessions: {} });
  for (const rule of declined ? scenario.plan().rules : [])
    record({ event: 'finding', scenario: id, attempt: 1, finding: declinedFinding(rule, reason) });
  record({
    event: 'scenario-ended',
    scenario: id,
    attempt: 1,
    verdict,
    reason,
    durationMs: 0,
    restored: null,
    passes: {},
  });
}

function declinedFinding(rule: RuleId, actual: string): Finding {
  const { sentence: expected } = ruleById(rule);
  const nowhere = { endpoint: null, step: null, place: null, exchange: null } as const;
  return { rule, verdict: 'skip', ...nowhere, expected, actual, causes: [], declined: true };
}

/** Collects the scenarios that were not played because a balance was too low. */
export class LowBalances {
  readonly #scenarios = new Set<string>();
  /** The highest balance that a scenario needed, by session. */
  readonly #needed = new Map<SessionUnderTest, Money>();

  add(scenario: string, session: SessionUnderTest, needed: Money): void {
    this.#scenarios.add(scenario);
    const known = this.#needed.get(session);
    if (!known || known.compare(needed) < 0) this.#needed.set(session, needed);
  }

  /** The message for the end of the report. Undefined if all balances were high enough. */
  get notice(): string | undefined {
    if (this.#scenarios.size === 0) return undefined;
    const [count, verb] =
      this.#scenarios.size === 1 ? ['One scenario', 'was'] : [`${this.#scenarios.size} scenarios`, 'were'];
    const sums = [...this.#needed].map(
      ([{ sessionID, currency }, needed]) =>
        `${sessionID} to at least ${needed}${currency === undefined ? '' : ` ${currency}`}`,
    );
    return `${count} ${verb} skipped because the players' balances were too low. Raise the balance of ${sums.join(', of ')}, and run again.`;
  }
}

/**
 * Returns the reason why no run with this version of the contract can play a scenario, as a clause. Null if there is no such
 * reason.
 */
export function wrongVersion(plan: Plan, options: RunOptions): string | null {
  const { rules } = plan;
  const { contract = CONTRACT_VERSION } = options.client;
  if (rules.length > 0 && rules.every((rule) => !isThere(ruleById(rule).since, contract)))
    return `the scenario tests rules of a later version of the contract than ${contract}`;
  if (!hasDecimalAmounts(contract) && [...plan.steps, ...plan.always].flatMap(callsOf).some(givesDecimals))
    return `the scenario sends amounts with decimals, and version ${contract} of the contract has only whole amounts`;
  return null;
}

/** Returns everything that is missing to play a scenario, except sessions: a clause for each condition. */
export function missingNeeds({ needs }: Plan, options: RunOptions): readonly string[] {
  const missing: string[] = [];
  if (needs.otherClient && options.client.otherClientKey === undefined)
    missing.push(
      'the scenario needs a second client of the same operator, and this client must have another key (`clients` in croupier.yaml)',
    );
  if (needs.earlierRun && !options.after) {
    const [round, steps] =
      needs.state === 'expired'
        ? [' that left a round open in the expired session', ', docs/settle.md has the steps']
        : ['', ''];
    missing.push(`the scenario needs the journal of an earlier run${round} (\`croupier run --after JOURNAL\`${steps})`);
  }
  if (needs.campaign && options.campaign === null)
    missing.push('the scenario needs a campaign that the operator knows (`freeRounds: { frID: … }`)');
  if (needs.launches && !options.launches)
    missing.push("the scenario needs the calls of the operator's backend to the Core API (`croupier run --launches`)");
  if (needs.largeAmounts && !options.largeAmounts)
    missing.push(
      'the scenario moves amounts above 2^53 times the smallest unit (such as cents), which the configuration must allow (`largeAmounts: true`)',
    );
  return missing;
}
