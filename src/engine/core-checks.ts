import { CORE_CHECK_IDS, type CoreCheck } from '../journal/results/core-check.ts';
import { plannedAmount } from '../judge/checks/planned-amount.ts';
import { callsOf } from '../scenario/plan/calls-of-step.ts';
import type { CallStep, Plan, Step } from '../scenario/plan/plan.ts';

/** Returns the kinds of calls that a scenario tries. Calls that the operator should refuse for another reason do not count. */
export function coreChecksOf({ steps }: Pick<Plan, 'steps'>): readonly CoreCheck[] {
  const calls = steps.flatMap(callsOf);
  const found = new Set<CoreCheck>(steps.some(isRace) ? ['race'] : []);
  const refunded = new Set<string>();
  const begun = new Set<string | null>();
  for (const step of calls) {
    for (const check of [...checksOfCall(step), ...checksOfRepeat(step, calls, refunded)]) found.add(check);
    // The operator may decline a second bet of a round for another reason, so it does not count.
    if (isBetAbove(step) && !begun.has(step.roundID)) found.add('above-balance');
    if (step.call === 'bet') begun.add(step.roundID);
    if (step.refund?.kind === 'step' && isAccepted(step)) refunded.add(step.refund.of);
  }
  return CORE_CHECK_IDS.filter((check) => found.has(check));
}

function checksOfCall(step: CallStep): readonly CoreCheck[] {
  const { call } = step;
  if (!isAccepted(step)) return [];
  const { mayHaveDecimals, isBalance } = plannedAmount(step);
  return [
    ...(call === 'win' || call === 'refund' ? [call] : []),
    ...(step.refund?.kind === 'unknown' ? (['unknown-refund'] as const) : []),
    ...(mayHaveDecimals && call === 'bet' ? (['decimal-bet'] as const) : []),
    ...(mayHaveDecimals && call === 'win' ? (['decimal-win'] as const) : []),
    ...(isBalance ? (['whole-balance'] as const) : []),
    ...(step.type === 'free' ? (['free'] as const) : []),
  ];
}

/** Returns the kind of a repeated call, if the operator should have accepted the first one. @param refunded the bets refunded before */
function checksOfRepeat(
  { origin, expect, deviations }: CallStep,
  calls: readonly CallStep[],
  refunded: ReadonlySet<string>,
): readonly CoreCheck[] {
  if (
    (origin.kind !== 'resend' && origin.kind !== 'copy') ||
    deviations.sign !== undefined ||
    deviations.tamper !== undefined
  )
    return [];
  const first = calls.find(({ key }) => key === origin.of);
  if (!first || !isAccepted(first) || first.type === 'free') return [];
  if (first.call === 'bet' && refunded.has(first.key)) return ['refunded-bet'];
  return first.call === 'balance' || expect.outcome !== 'accepted' ? [] : [`repeated-${first.call}`];
}

function isBetAbove({ call, expect, origin }: CallStep): boolean {
  return (
    call === 'bet' && origin.kind === 'fresh' && expect.outcome === 'declined' && expect.code === 'insufficient_funds'
  );
}

function isAccepted({ expect }: CallStep): boolean {
  return expect.outcome === 'accepted';
}

/**
 * True for several different bets and wins of the main session that are sent at once, and that the operator should accept all. Then an update
 * of the balance may be lost.
 */
function isRace(step: Step): boolean {
  if (step.kind !== 'together') return false;
  const moving = step.steps.filter(
    (one) =>
      (one.call === 'bet' || one.call === 'win') &&
      one.origin.kind === 'fresh' &&
      one.session === 'main' &&
      isAccepted(one),
  );
  return moving.length > 1;
}
