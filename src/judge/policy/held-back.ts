import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import type { Answer } from '../../reply/classify.ts';
import { isBusy, isTemporary } from '../../reply/status.ts';
import { busyReason } from '../checks/check.ts';
import { checkOf, checksOf } from '../checks/checks.ts';
import type { JudgeContext } from '../context.ts';
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

/** Maximum number of answered calls that are kept. They are kept because each of them may be a control. */
const MAX_CONTROLS = 200;

/**
 * Delays decisions about calls with a deviation until the answer to the control is known. The control is the same call in the same
 * session without the deviation. If the operator did not accept the control either, the answer to the call with the deviation
 * proves nothing.
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
      const subject = { rule, step: planned.step, exchange };
      const control = needsControl(held) ? this.#controlOf(rule, planned) : undefined;
      if (control !== undefined && !isValidControl(control, held))
        collector.decide(subject, withoutControl(control.planned, checkOf(rule)?.controlled ?? 1));
      else if (control === undefined && isDeclinedWronglySigned(held))
        collector.decide(subject, { kind: 'skip', reason: NO_CONTROL });
      else collector.decide(subject, decision);
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

/**
 * True if the control got the reply that it must get. The control of a call with a wrong signature has the right signature. It must
 * pass the check of the signature, but may then fail for another reason.
 */
function isValidControl({ answer, status }: AnsweredCall, deviating: HeldDecision): boolean {
  if (deviating.planned.step.expect.outcome !== 'refused') return answer === 'accepted';
  if (answer === 'accepted' || answer === 'error-200') return true;
  // If the wrong and the right signature are declined with the same status, the signature is not the reason.
  return (
    (answer === 'declined' || answer === 'failed') && (deviating.answer === 'refused' || deviating.status !== status)
  );
}

const NO_CONTROL =
  'the operator declined the call with another status than 401, and the scenario has no such call with the right signature';

/**
 * True if a call with a wrong signature was declined with another 4xx than 401. The operator may have declined it for another
 * reason.
 */
function isDeclinedWronglySigned({ planned, answer, decision }: HeldDecision): boolean {
  return planned.step.expect.outcome === 'refused' && answer === 'declined' && decision.kind === 'breach';
}

/**
 * False if the control cannot change the decision. For example, an operator that carries out a call that it had to refuse always
 * breaks the rule.
 */
function needsControl({ planned, answer, decision }: HeldDecision): boolean {
  if (decision.kind === 'skip') return false;
  return planned.step.expect.outcome === 'accepted' ? decision.kind !== 'pass' : answer !== 'accepted';
}

/**
 * Returns the decision for a call whose control was not accepted. With tier 2 or 3, the control has a deviation too, and another
 * rule judges this deviation. So the rule of the call is skipped.
 */
function withoutControl({ step }: PlannedCall, tier: 1 | 2 | 3): Decision {
  const reason = `the same ${step.call} without the deviation (step ${step.key}) was not accepted either`;
  return tier === 1 ? { kind: 'undecided', reason } : { kind: 'skip', reason };
}

const NOT_ALWAYS = 'the operator answered with a temporary error (5xx, 408, 423, 425 or 429), but not on every attempt';

const AT_RANDOM =
  'the operator answered with a temporary error (5xx, 408, 423, 425 or 429), and it answers calls so at random';

const NOT_AGAIN = 'the operator declined the bet only once, perhaps because of its own limit';

/**
 * Delays breaches that a temporary error may have caused. Such a breach counts only if every attempt at the scenario shows it, or
 * if the scenario has other breaches and the operator does not fail at random.
 */
export class TemporaryErrors {
  readonly #context: Pick<JudgeContext, 'isLasting' | 'failsAtRandom'>;
  readonly #held: HeldDecision[] = [];
  /** Bets that were declined with `insufficient_funds` although the balance was high enough. */
  readonly #wronglyDeclined: { readonly subject: FindingSubject; readonly decision: Decision }[] = [];
  /** Bets that were declined for a reason that croupier does not know. */
  readonly #declined: { readonly subject: FindingSubject; readonly decision: Decision }[] = [];
  readonly #turnedAway = new Set<string>();
  /** The endpoints that answered a call of the scenario with something else than a temporary error. */
  readonly #answering = new Set<CallName>();

  constructor(context: Pick<JudgeContext, 'isLasting' | 'failsAtRandom'>) {
    this.#context = context;
  }

  /** Keys of the steps whose reply may be different if the scenario is played again. */
  get stepsToRetry(): ReadonlySet<string> {
    return this.#turnedAway;
  }

  /** Records whether the reply to a step was a temporary error. */
  record({ planned: { step, signedRight }, status }: Pick<HeldDecision, 'planned' | 'status'>): void {
    // A server that is busy may still check signatures, and refuse wrong ones. So only replies to calls with the right signature
    // show that the operator is not too busy.
    if (status !== undefined && !isTemporary(status) && signedRight) this.#answering.add(step.call);
    if (isTemporary(status) && step.expect.outcome !== 'either') this.#turnedAway.add(step.key);
  }

  /**
   * True if the operator is not too busy for calls to this endpoint. A busy operator may decline new bets and balance reads for a
   * long time. But if it answers any other calls, it must accept wins and refunds too.
   */
  #isAnswering(call: CallName): boolean {
    return call === 'win' || call === 'refund' ? this.#answering.size > 0 : this.#answering.has(call);
  }

  hold(held: HeldDecision): void {
    this.#held.push(held);
  }

  /**
   * Delays the breach of a wrongly declined bet. Only the next attempt at the scenario shows whether the operator always declines
   * this bet.
   */
  holdWrongDecline(subject: FindingSubject, decision: Decision): void {
    this.#turnedAway.add(subject.step.key);
    this.#wronglyDeclined.push({ subject, decision });
  }

  /** Delays the breach of a bet that was declined for the first time. Only the next attempt shows whether it is always declined. */
  holdDecline(subject: FindingSubject, decision: Decision): void {
    this.#turnedAway.add(subject.step.key);
    this.#declined.push({ subject, decision });
  }

  /** Ends the scenario. Decides which breaches count. If a breach counts only after a control, passes the breach to `controls`. */
  close(collector: FindingCollector, controls: Controls): void {
    // A single temporary error may occur by chance. The next attempt at the scenario shows whether the error occurs again.
    const { hasBreach } = collector;
    const failsAtRandom = this.#context.failsAtRandom();
    for (const held of this.#held.splice(0)) {
      const { rule, planned, exchange, decision } = held;
      // A 429 or 503 counts as a breach only if both are true: every attempt at this call got it, and the operator answered other
      // calls with another status.
      const isOfBusy = isBusy(held.status) && !rule.startsWith('reply.');
      const isLasting = this.#context.isLasting(planned.step.key);
      const counts = isOfBusy
        ? isLasting && this.#isAnswering(planned.step.call)
        : isLasting || (hasBreach && !mayFail(held) && !failsAtRandom);
      if (counts && checkOf(rule)?.controlled) controls.hold(held);
      else if (counts) collector.decide({ rule, step: planned.step, exchange }, decision);
      else if (isOfBusy)
        collector.decide(
          { rule, step: planned.step, exchange },
          { kind: 'skip', reason: busyReason(planned.step.call, held.status), declined: true },
        );
      else
        collector.decide(
          { rule, step: planned.step, exchange },
          { kind: 'skip', reason: failsAtRandom ? AT_RANDOM : NOT_ALWAYS },
        );
    }
    for (const { subject, decision } of this.#declined.splice(0))
      collector.decide(subject, hasBreach ? decision : { kind: 'skip', reason: NOT_AGAIN });
    for (const { subject, decision } of this.#wronglyDeclined.splice(0))
      if (this.#context.isLasting(subject.step.key)) collector.decide(subject, decision);
  }
}

/** True for an ordinary bet that was answered 500. Such a bet may sometimes fail, because the service then refunds it. */
function mayFail({ planned: { step, signedRight }, status }: HeldDecision): boolean {
  return step.call === 'bet' && step.expect.outcome === 'accepted' && signedRight && status === 500;
}
