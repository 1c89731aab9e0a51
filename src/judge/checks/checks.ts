import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import type { CallStep, Plan } from '../../scenario/plan/plan.ts';
import { type PlannedCall, PlannedCalls } from '../planned-calls.ts';
import { balanceChecks } from './balance.ts';
import { betChecks } from './bet.ts';
import type { RuleCheck } from './check.ts';
import { concurrencyChecks } from './concurrency.ts';
import { freeRoundsChecks } from './free-rounds.ts';
import { idempotencyChecks } from './idempotency.ts';
import { moneyChecks } from './money.ts';
import { refundChecks } from './refund.ts';
import { replyChecks } from './reply.ts';
import { robustnessChecks } from './robustness.ts';
import { sessionChecks } from './session.ts';
import { signatureChecks } from './signature.ts';
import { winChecks } from './win.ts';

/**
 * Returns the rules that a plan can decide: at least one step of the plan must test the rule. A scenario must not list any
 * other rule.
 */
export function applicableRules(plan: Plan, rules: readonly RuleId[]): RuleId[] {
  const plannedCalls = new PlannedCalls(plan);
  const seesLaunches = plan.steps.some(({ kind }) => kind === 'launches');
  return rules.filter((rule) =>
    ruleById(rule).group === 'launch'
      ? seesLaunches
      : plannedCalls.calls.some((planned) => applies(rule, planned, plannedCalls)),
  );
}

/**
 * Every rule that the four calls of the service decide. These are all rules except `launch.*`, which the operator's calls to the
 * Core API decide.
 */
type CallRule = Exclude<RuleId, `launch.${string}`>;

const CHECKS: { readonly [id in CallRule]: RuleCheck } = {
  ...balanceChecks,
  ...betChecks,
  ...winChecks,
  ...refundChecks,
  ...idempotencyChecks,
  ...concurrencyChecks,
  ...signatureChecks,
  ...freeRoundsChecks,
  ...replyChecks,
  ...moneyChecks,
  ...sessionChecks,
  ...robustnessChecks,
};

export type Applied = readonly [rule: CallRule, check: RuleCheck];

const ALL = Object.entries(CHECKS) as readonly Applied[];

/** Returns the rules that a step tests, each with its check. */
export function checksOf(planned: PlannedCall, plannedCalls: PlannedCalls): readonly Applied[] {
  return ALL.filter(([, check]) => check.applies(planned, plannedCalls));
}

/** Returns true if a step tests the rule. No step tests a `launch.*` rule. */
function applies(rule: RuleId, planned: PlannedCall, plannedCalls: PlannedCalls): boolean {
  return checkOf(rule)?.applies(planned, plannedCalls) === true;
}

export function checkOf(rule: RuleId): RuleCheck | undefined {
  const checks: Readonly<Partial<Record<RuleId, RuleCheck>>> = CHECKS;
  return checks[rule];
}

/** Looks up the checks of a step. Computes them once for each step of a scenario. */
export class ChecksByStep {
  readonly #plannedCalls: PlannedCalls;
  readonly #known = new Map<string, readonly Applied[]>();
  /** The call that was looked up last. The judge looks up each call several times in a row. */
  #last: { readonly planned: PlannedCall; readonly applied: readonly Applied[] } | undefined;

  constructor(plannedCalls: PlannedCalls) {
    this.#plannedCalls = plannedCalls;
  }

  of(planned: PlannedCall): readonly Applied[] {
    if (this.#last?.planned !== planned) this.#last = { planned, applied: this.#appliedTo(planned) };
    return this.#last.applied;
  }

  #appliedTo(planned: PlannedCall): readonly Applied[] {
    const key = planned.group === null ? repeatless(planned.step) : planned.step.key;
    const known = this.#known.get(key);
    if (known) return known;
    const applied = checksOf(planned, this.#plannedCalls);
    this.#known.set(key, applied);
    return applied;
  }
}

/**
 * Returns the same key for all repetitions of a step with `times`, because the same rules apply to them. Only the first repetition
 * has a key of its own, because no repetition comes before it.
 */
function repeatless(step: CallStep): string {
  return step.key.replace(/x\d+$/, (repeat) => (repeat === 'x1' ? repeat : 'x2'));
}
