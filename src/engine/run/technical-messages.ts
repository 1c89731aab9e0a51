import type { JournalEvent, Received, Sending } from '../../journal/event.ts';
import type { Finding } from '../../journal/finding.ts';
import { CallsInFlight } from '../../journal/network/calls-in-flight.ts';
import { isProbe, PlannedCalls } from '../../judge/planned-calls.ts';
import { answerOfReply } from '../../reply/classify.ts';
import { type ReplyProblem, verdictOn } from '../../reply/problems.ts';
import { readReply } from '../../reply/read.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import { isOfService, plannedOf } from './sent-calls.ts';

/** An error with a message that a player must not see. */
interface Shown {
  readonly sending: Sending;
  readonly problem: ReplyProblem;
}

/**
 * Finds error messages that a player must not see in replies that no rule has judged. croupier repeats a call or a scenario after a
 * temporary error, and then judges only the last reply. The operator may send a temporary error, but a player may see its message.
 */
export class TechnicalMessages {
  readonly #inFlight = new CallsInFlight<Sending>();
  /** The first such message of each scenario. */
  readonly #shown = new Map<string, Shown>();

  /** Notes the calls of the run and their replies. */
  note(event: JournalEvent): void {
    if (event.event === 'sending' && event.scenario !== null && event.signed === undefined)
      this.#inFlight.set(event.id, event);
    else if (event.event === 'received') this.#received(event);
  }

  /**
   * Returns the finding about a scenario after its last attempt. Returns undefined if there is none, or if a rule has already judged
   * such a message.
   */
  findingOf(scenario: string, plan: Plan, findings: readonly Finding[]): Finding | undefined {
    const shown = this.#shown.get(scenario);
    this.#shown.delete(scenario);
    if (!shown || findings.some(({ rule, verdict }) => rule === 'reply.error-message' && verdict === 'fail')) return;
    const { sending, problem } = shown;
    const calls = new PlannedCalls(plan);
    // A call that the service never sends may have an effect on all later calls of the scenario.
    const planned = plannedOf(sending, calls);
    if (calls.calls.some(({ step }) => isProbe(step)) || !isOfService(planned)) return;
    return {
      rule: 'reply.error-message',
      verdict: 'fail',
      endpoint: null,
      step: sending.step,
      place: planned?.step.place ?? plan.place,
      exchange: sending.id,
      expected: problem.expected,
      actual: problem.actual,
      causes: [],
    };
  }

  #received({ id, outcome }: Received): void {
    const sending = this.#inFlight.take(id);
    if (!sending?.scenario || outcome.kind !== 'reply' || outcome.reply.status < 400) return;
    if (this.#shown.has(sending.scenario)) return;
    const reading = readReply(outcome.reply);
    const { status } = reading;
    const verdict = verdictOn('reply.error-message', {
      call: sending.call,
      answer: answerOfReply(sending.call, status, reading),
      status,
      reading,
      contentType: reading.contentType,
      currency: undefined,
      isBetKnown: false,
    });
    if (typeof verdict === 'object' && verdict.kind === 'breach')
      this.#shown.set(sending.scenario, { sending, problem: verdict });
  }
}
