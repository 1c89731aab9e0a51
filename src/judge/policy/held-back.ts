import type { RuleId } from '../../contract/catalogue.ts';
import type { Answer } from '../../reply/classify.ts';
import { isTemporary } from '../../reply/status.ts';
import { checkOf, checksOf } from '../checks/checks.ts';
import type { Decision } from '../decision.ts';
import type { FindingCollector, FindingSubject } from '../finding-collector.ts';
import type { PlannedCall, PlannedCalls } from '../planned-calls.ts';

interface AnsweredCall {
  readonly planned: PlannedCall;
  readonly answer: Answer;
  readonly status: number | undefined;
}

export interface HeldDecision extends AnsweredCall {
  readonly rule: RuleId;
  readonly exchange: string;
  readonly decision: Decision;
}

/** Maximum number of answered calls that are kept as controls. */
const MAX_CONTROLS = 200;

/**
 * Holds back decisions about calls with a deviation until their control is known: the same call in the same session without
 * the deviation. If the control was not accepted either, the deviation proves nothing.
 */
export class Controls {
  readonly #plannedCalls: PlannedCalls;
  readonly #held: HeldDecision[] = [];
  readonly #answered: AnsweredCall[] = [];

  constructor(plannedCalls: PlannedCalls) {
    this.#plannedCalls = plannedCalls;
  }

  record(observed: AnsweredCall): void {
    if (this.#answered.length < MAX_CONTROLS) this.#answered.push(observed);
  }

  hold(held: HeldDecision): void {
    this.#held.push(held);
  }

  release(collector: FindingCollector): void {
    for (const held of this.#held) {
      const { rule, planned, exchange, decision } = held;
      const control = needsControl(held) ? this.#controlOf(rule, planned) : undefined;
      const failed = control !== undefined && !isValidControl(control, held);
      collector.decide(
        { rule, step: planned.step, exchange },
        failed ? withoutControl(control.planned, checkOf(rule)?.controlled ?? 1) : decision,
      );
    }
    this.#held.length = 0;
  }

  #controlOf(rule: RuleId, deviating: PlannedCall): AnsweredCall | undefined {
    const own = deviationsOf(deviating);
    const tier = checkOf(rule)?.controlled ?? 0;
    const fitting = this.#answered.filter(
      ({ planned }) =>
        planned.step.call === deviating.step.call &&
        planned.step.session === deviating.step.session &&
        planned.step.expect.outcome === 'accepted' &&
        planned.signedRight &&
        planned.step.deviations.break === undefined &&
        deviationsOf(planned).every((key) => own.includes(key)) &&
        !checksOf(planned, this.#plannedCalls).some(([id, check]) => id === rule || (check.controlled ?? 0) >= tier),
    );
    const closest = Math.max(...fitting.map(({ planned }) => deviationsOf(planned).length));
    const controls = fitting.filter(({ planned }) => deviationsOf(planned).length === closest);
    return controls.find(({ answer }) => answer === 'accepted') ?? controls[0];
  }
}

function deviationsOf(planned: PlannedCall): string[] {
  return Object.keys(planned.step.deviations).filter((key) => key !== 'sign' && key !== 'tamper');
}

/** True if a control was answered as it must be. For a wrong signature, the right signature must be accepted; the call may fail later. */
function isValidControl({ answer, status }: AnsweredCall, deviating: HeldDecision): boolean {
  if (deviating.planned.step.expect.outcome !== 'refused') return answer === 'accepted';
  if (answer === 'accepted' || answer === 'error-200') return true;
  // If both signatures are declined with the same status, the reason is not the signature.
  return (
    (answer === 'declined' || answer === 'failed') && (deviating.answer === 'refused' || deviating.status !== status)
  );
}

/** False if the control cannot change the decision: a call that must be refused and was carried out is always wrong. */
function needsControl({ planned, answer, decision }: HeldDecision): boolean {
  if (decision.kind === 'skip') return false;
  return planned.step.expect.outcome === 'accepted' ? decision.kind !== 'pass' : answer !== 'accepted';
}

/** A second deviation cannot be tested if the operator declines the first one, which another rule judges. */
function withoutControl({ step }: PlannedCall, tier: 1 | 2 | 3): Decision {
  const reason = `its control, the same ${step.call} without the deviation (step ${step.key}), was not accepted either`;
  return tier === 1 ? { kind: 'undecided', reason } : { kind: 'skip', reason };
}

const NOT_ALWAYS = 'the operator answered with a temporary error (5xx, 408, 423, 425 or 429), but not on every attempt';

/** Holds back breaches that may be temporary. They count only if every attempt shows them, or if the scenario has other breaches. */
export class TemporaryErrors {
  readonly #isLasting: (step: string) => boolean;
  readonly #held: HeldDecision[] = [];
  /** Bets that were declined with `insufficient_funds` although the balance was high enough. */
  readonly #wronglyDeclined: { readonly subject: FindingSubject; readonly decision: Decision }[] = [];
  readonly #turnedAway = new Set<string>();

  /** @param isLasting returns whether every attempt at the scenario got the temporary error at the step */
  constructor(isLasting: (step: string) => boolean) {
    this.#isLasting = isLasting;
  }

  /** Keys of the steps whose reply may be different when the scenario is tried again. */
  get stepsToRetry(): ReadonlySet<string> {
    return this.#turnedAway;
  }

  /** Records the reply to a step. */
  record({ planned: { step }, status }: Pick<HeldDecision, 'planned' | 'status'>): void {
    if (isTemporary(status) && step.expect.outcome !== 'either') this.#turnedAway.add(step.key);
  }

  hold(held: HeldDecision): void {
    this.#held.push(held);
  }

  /** Holds back a wrong decline of a bet. The next attempt at the scenario shows whether it was an accident. */
  holdWrongDecline(subject: FindingSubject, decision: Decision): void {
    this.#turnedAway.add(subject.step.key);
    this.#wronglyDeclined.push({ subject, decision });
  }

  /** Ends the scenario: decides which breaches count, and passes those that need a control on to `controls`. */
  close(collector: FindingCollector, controls: Controls): void {
    // One temporary error may be an accident. The next attempt at the scenario shows whether it is.
    const { hasBreach } = collector;
    for (const held of this.#held.splice(0)) {
      const { rule, planned, exchange, decision } = held;
      const counts = this.#isLasting(planned.step.key) || (hasBreach && !mayFail(held));
      if (counts && checkOf(rule)?.controlled) controls.hold(held);
      else if (counts) collector.decide({ rule, step: planned.step, exchange }, decision);
      else collector.decide({ rule, step: planned.step, exchange }, { kind: 'skip', reason: NOT_ALWAYS });
    }
    for (const { subject, decision } of this.#wronglyDeclined.splice(0))
      if (this.#isLasting(subject.step.key)) collector.decide(subject, decision);
  }
}

/** True for a bet of the service that was answered 500: it may fail sometimes, because it is refunded then. */
function mayFail({ planned: { step, signedRight }, status }: HeldDecision): boolean {
  return step.call === 'bet' && step.expect.outcome === 'accepted' && signedRight && status === 500;
}
