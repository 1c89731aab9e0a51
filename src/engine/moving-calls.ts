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
