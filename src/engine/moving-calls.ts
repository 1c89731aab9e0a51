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

/** Amounts that only few scenarios have: with decimals, or of the whole balance. A wallet may round or limit the amounts of one player only. */
const RARE_AMOUNTS = ['decimals', 'balance'] as const;

export type RareAmount = (typeof RARE_AMOUNTS)[number];

/** Returns the rare amounts of the calls in a scenario that the operator should accept. */
export function rareAmountsOf({ steps }: Pick<Plan, 'steps'>): readonly RareAmount[] {
  const amounts = steps
    .flatMap(callsOf)
    .filter(({ expect }) => expect.outcome === 'accepted')
    .map(plannedAmount);
  return RARE_AMOUNTS.filter((kind) =>
    amounts.some(({ isBalance, mayHaveDecimals }) => (kind === 'balance' ? isBalance : mayHaveDecimals)),
  );
}
