import { callsOf } from '../../scenario/plan/calls-of-step.ts';
import type { CallStep, Plan, Step } from '../../scenario/plan/plan.ts';

/**
 * Returns the plan for a later round of a race. It leaves out what the first round has already shown:
 *
 * - the calls before the race to which no later step refers, such as the control.
 * - the reads of the balance before the first call. The balance is known from the last round.
 * - the calls that are sent again after the race, with the balance reads after them. They are kept if another call follows.
 */
export function laterRound(plan: Plan): Plan {
  const first = plan.steps.findIndex(isRace);
  const last = plan.steps.findLastIndex(isRace);
  if (first === -1) return plan;
  const raced = plan.steps.slice(first, last + 1);
  const after = withoutRepeats(plan.steps.slice(last + 1));
  const before: Step[] = [];
  for (const step of plan.steps.slice(0, first).toReversed())
    if (isNeeded(step, [...before, ...raced, ...after, ...plan.always])) before.unshift(step);
  // A read after a call is kept. Without this read, croupier could not see whether a wrong balance comes from that call or from the
  // race.
  const begin = before.findIndex((step) => !isPlainRead(step));
  return { ...plan, steps: [...(begin === -1 ? [] : before.slice(begin)), ...raced, ...after] };
}

function isRace({ kind }: Step): boolean {
  return kind === 'together';
}

/** False for a call to which no later step refers. */
function isNeeded(step: Step, later: readonly Step[]): boolean {
  if (step.kind !== 'call' || step.call === 'balance' || !isPlain(step)) return true;
  return later.flatMap(callsOf).some((call) => refersTo(call, step));
}

function isPlainRead(step: Step): boolean {
  return step.kind === 'call' && step.call === 'balance' && isPlain(step);
}

/** True for a call without a name, without deviations and without expectations of its own. */
function isPlain({ name, origin, deviations, expect, after, eventuallyMs }: CallStep): boolean {
  return (
    name === undefined &&
    origin.kind === 'fresh' &&
    Object.keys(deviations).length === 0 &&
    !expect.stated &&
    expect.moves === undefined &&
    after === undefined &&
    eventuallyMs === undefined
  );
}

function refersTo(call: CallStep, { key, txID, roundID }: CallStep): boolean {
  const { origin, refund } = call;
  if ((origin.kind === 'resend' || origin.kind === 'copy') && origin.of === key) return true;
  if ((refund?.kind === 'step' && refund.of === key) || call.winOf === key) return true;
  return (roundID !== null && call.roundID === roundID) || (txID !== null && call.txID === txID);
}

/**
 * If all steps after the first reads of the balance are repeated calls or further reads, leaves out these steps. Otherwise leaves
 * out nothing.
 */
function withoutRepeats(steps: readonly Step[]): readonly Step[] {
  const read = steps.findIndex(isRead);
  if (read === -1) return steps;
  const next = steps.findIndex((step, index) => index > read && !isRead(step));
  const rest = next === -1 ? [] : steps.slice(next);
  return rest.every((step) => isRead(step) || isRepeat(step)) ? steps.slice(0, steps.length - rest.length) : steps;
}

function isRead(step: Step): boolean {
  return step.kind === 'call' && step.call === 'balance';
}

function isRepeat(step: Step): boolean {
  return step.kind === 'call' && step.origin.kind === 'resend' && Object.keys(step.deviations).length === 0;
}
