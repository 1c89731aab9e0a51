import type { CallName } from '../../contract/call-name.ts';
import type { Tally } from '../../journal/event.ts';
import type { Finding } from '../../journal/finding.ts';
import { isBusy } from '../../reply/status.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import type { WaitPolicy } from '../calls/wait-policy.ts';
import type { NotPlayable } from '../run-options.ts';

/** Number of scenarios in a row with a timeout after which croupier gives up on an endpoint. */
const MAX_TIMEOUTS = 5;

/** Decides from the results of earlier scenarios which scenarios are not worth playing. */
export class GiveUpPolicy {
  readonly #waitPolicy: WaitPolicy;
  /** The number of scenarios in a row in which an endpoint missed the deadline, by endpoint. */
  readonly #timeouts = new Map<CallName, number>();

  constructor(waitPolicy: WaitPolicy) {
    this.#waitPolicy = waitPolicy;
  }

  /** Notes the result of a scenario. */
  note(findings: readonly Finding[], passes: Tally): void {
    const late = new Set(
      findings.flatMap(({ rule, verdict, endpoint }) =>
        rule === 'reply.deadline' && verdict === 'fail' && endpoint !== null ? [endpoint] : [],
      ),
    );
    for (const call of late) this.#timeouts.set(call, (this.#timeouts.get(call) ?? 0) + 1);
    // An endpoint that meets the deadline again is counted from 0.
    for (const call of this.#timeouts.keys())
      if (!late.has(call) && passes['reply.deadline']?.[call] !== undefined) this.#timeouts.delete(call);
  }

  /** Returns why a scenario is not worth playing. Null if it is worth playing. */
  reasonAgainst(plan: Plan): NotPlayable | null {
    const late = this.#timedOutCall(plan);
    if (late) {
      const reason = `${nameOf(late)} missed the deadline in ${MAX_TIMEOUTS} scenarios in a row, so scenarios that need it are not played any more`;
      return { verdict: 'inconclusive', reason };
    }
    const failing = this.#needsReads(plan) ? 'balance' : this.needsFailingBets(plan) ? 'bet' : null;
    if (failing === null) return null;
    const status = this.#waitPolicy.lastFailure(failing);
    const times = `each time (${this.#waitPolicy.failuresOf(failing)} times so far), so scenarios that need it are not played any more`;
    return isBusy(status)
      ? { verdict: 'skip', reason: `${nameOf(failing)} was answered ${status} ${times}`, declined: true }
      : { verdict: 'inconclusive', reason: `${nameOf(failing)} has failed ${times}` };
  }

  /** True if every balance read of the run was answered "too busy". Nothing can then be tested. */
  #needsReads({ needs }: Plan): boolean {
    return !needs.launches && this.#waitPolicy.hasGivenUp('balance') && isBusy(this.#waitPolicy.lastFailure('balance'));
  }

  /**
   * True if the scenario needs an accepted bet and the operator has never accepted one. Scenarios about plain bets are played
   * even so, because they show this fault.
   */
  needsFailingBets({ steps, rules }: Plan): boolean {
    if (!this.#waitPolicy.hasGivenUp('bet') || rules.includes('bet.decimal-amount')) return false;
    return steps.some((step) => {
      const calls = step.kind === 'together' ? step.steps : step.kind === 'call' ? [step] : [];
      return calls.some(({ call, expect }) => call === 'bet' && expect.outcome === 'accepted');
    });
  }

  /**
   * Returns the endpoint that the scenario needs and that missed the deadline too often. Each scenario that needs it would only
   * wait for the deadline.
   */
  #timedOutCall(plan: Plan): CallName | undefined {
    const needed = new Set(
      plan.steps.flatMap((step) => (step.kind === 'call' && step.expect.outcome === 'accepted' ? [step.call] : [])),
    );
    return [...needed].find((call) => (this.#timeouts.get(call) ?? 0) >= MAX_TIMEOUTS);
  }

  /** The message for the end of the report. Undefined if there is no message. */
  get notice(): string | undefined {
    if (!this.#waitPolicy.hasGivenUp('bet')) return undefined;
    return `POST /bet failed each time that it was answered (${this.#waitPolicy.failuresOf('bet')} times with a 5xx or 429, never with a 200), so most scenarios could not be judged. Find the cause in the operator's own log, fix it, and run again.`;
  }
}

function nameOf(call: CallName): string {
  return `${call === 'balance' ? 'GET' : 'POST'} /${call}`;
}
