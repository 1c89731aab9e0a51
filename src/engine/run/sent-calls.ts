import type { Sending } from '../../journal/event.ts';
import { isNeverSent } from '../../judge/checks/reply-decision.ts';
import type { PlannedCall, PlannedCalls } from '../../judge/planned-calls.ts';

/** Returns the planned call. undefined if croupier added the call itself, for example to read a balance. */
export function plannedOf({ step }: Pick<Sending, 'step'>, calls: PlannedCalls): PlannedCall | undefined {
  return step === null ? undefined : (calls.byKey(step) ?? calls.byKey(step.replace(/x\d+$/, 'x1')));
}

/** True if the service sends such calls. Each call that croupier added itself is such a call. */
export function isOfService(planned: PlannedCall | undefined): boolean {
  if (!planned) return true;
  const { regular, source, step } = planned;
  return regular && source?.regular !== false && step.session !== 'unknown' && !isNeverSent(planned);
}
