import type { CallName } from '../contract/call-name.ts';
import type { Finding } from './finding.ts';
import { isDecided, type JudgedOutcome } from './judged-outcome.ts';

/** The results for one rule at one endpoint in one scenario. */
export interface RulePlace {
  readonly rule: Finding['rule'];
  /** The endpoint; null if the rule has one verdict for all endpoints. */
  readonly endpoint: CallName | null;
  readonly scenario: string;
  /** Number of checks that failed. */
  readonly failed: number;
  /** Number of checks that gave a warning. */
  readonly warned: number;
  /** Number of checks that gave a decision, including `failed` and `warned`. */
  readonly checks: number;
  /** True if a check was tried, but could not be decided. */
  readonly isOpen: boolean;
  /** True if a check that failed or warned may have moved money. */
  readonly movesMoney: boolean;
  /** True if the scenario failed here and then passed on retry. */
  readonly flaky: boolean;
}

/**
 * True for a rule that only calls at the same moment can break. These calls meet by chance, so it is also chance which scenario
 * shows the breach.
 */
export function isAboutRaces(rule: string): boolean {
  return rule.startsWith('concurrency.') || rule === 'idempotency.concurrent';
}

/** Sums up outcomes by rule, endpoint and scenario. */
export function rulePlaces(outcomes: readonly JudgedOutcome[]): readonly RulePlace[] {
  const groups = Map.groupBy(outcomes, ({ rule, endpoint, scenario }) => `${rule} ${endpoint} ${scenario}`);
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const { rule, endpoint, scenario } = first;
    const count = (wanted: (outcome: JudgedOutcome) => boolean): number =>
      own.reduce((sum, outcome) => (wanted(outcome) ? sum + outcome.count : sum), 0);
    return {
      rule,
      endpoint,
      scenario,
      failed: count(({ verdict }) => verdict === 'fail'),
      warned: count(({ verdict }) => verdict === 'warn'),
      checks: count(isDecided),
      isOpen: own.some(({ verdict }) => verdict === 'inconclusive'),
      movesMoney: own.some(({ verdict, noMoney }) => (verdict === 'fail' || verdict === 'warn') && !noMoney),
      flaky: own.some(({ flaky }) => flaky),
    };
  });
}
