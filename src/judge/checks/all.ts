import type { RuleId } from '../../contract/catalogue.ts';
import type { CallStep } from '../../scenario/plan.ts';
import type { RuleCheck } from '../check.ts';
import type { Part, Story } from '../story.ts';
import { balanceChecks } from './balance.ts';
import { betChecks } from './bet.ts';
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

/** Every rule that the four calls can show. `launch.*` is judged by what the operator's own calls show. */
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

/** The rules that a step puts to the test. */
export function checksOf(part: Part, story: Story): readonly Applied[] {
  return ALL.filter(([, check]) => check.applies(part, story));
}

/** Whether a step puts one rule to the test; none does with what only the operator's own calls show. */
export function applies(rule: RuleId, part: Part, story: Story): boolean {
  return checkOf(rule)?.applies(part, story) === true;
}

export function checkOf(rule: RuleId): RuleCheck | undefined {
  const checks: Readonly<Partial<Record<RuleId, RuleCheck>>> = CHECKS;
  return checks[rule];
}

/** All of them, reckoned once for each step of a story. */
export class ChecksByStep {
  readonly #story: Story;
  readonly #known = new Map<string, readonly Applied[]>();

  constructor(story: Story) {
    this.#story = story;
  }

  of(part: Part): readonly Applied[] {
    const key = part.group === null ? repeatless(part.step) : part.step.key;
    const known = this.#known.get(key);
    if (known) return known;
    const applied = checksOf(part, this.#story);
    this.#known.set(key, applied);
    return applied;
  }
}

/** Steps that `times` made of one are alike in everything that rules go by, but for the first, which has none before it. */
function repeatless(step: CallStep): string {
  return step.key.replace(/x\d+$/, (repeat) => (repeat === 'x1' ? repeat : 'x2'));
}
