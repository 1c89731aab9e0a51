import { plannedAmount } from '../judge/checks/planned-amount.ts';
import { callsOf } from '../scenario/plan/calls-of-step.ts';
import type { Plan } from '../scenario/plan/plan.ts';

/** The calls whose faults show only in some scenarios. Nearly every scenario places a bet. */
const MOVING_CALLS = ['win', 'refund'] as const;

export type MovingCall = (typeof MOVING_CALLS)[number];

/** Returns the kinds of calls that give money to the player in a scenario, and that the operator should accept. */
export function movingCallsOf({ steps }: Pick<Plan, 'steps'>): readonly MovingCall[] {
  const accepted = steps.flatMap(callsOf).filter(({ expect }) => expect.outcome === 'accepted');
  return MOVING_CALLS.filter((call) => accepted.some((step) => step.call === call));
}

/**
 * Amounts that only few scenarios have: with decimals, of the whole balance, or of a bet above the balance. A wallet may handle
 * them wrongly for one player only.
 */
const RARE_AMOUNTS = ['decimals', 'balance', 'above'] as const;

export type RareAmount = (typeof RARE_AMOUNTS)[number];

/** Returns the rare amounts of a scenario. Calls that the operator may decline or refuse for another reason do not count. */
export function rareAmountsOf({ steps }: Pick<Plan, 'steps'>): readonly RareAmount[] {
  const calls = steps.flatMap(callsOf);
  const amounts = calls.filter(({ expect }) => expect.outcome === 'accepted').map(plannedAmount);
  const has: Readonly<Record<RareAmount, boolean>> = {
    decimals: amounts.some(({ mayHaveDecimals }) => mayHaveDecimals),
    balance: amounts.some(({ isBalance }) => isBalance),
    above: calls.some(({ call, expect }) => call === 'bet' && expect.outcome === 'declined'),
  };
  return RARE_AMOUNTS.filter((kind) => has[kind]);
}
