import { CALL_NAMES, type CallName } from '../../contract/call-name.ts';
import type { Tally } from '../../journal/event.ts';
import type { Finding } from '../../journal/finding.ts';
import { UNKNOWN_CAMPAIGN } from '../../judge/checks/check.ts';
import { isBusy } from '../../reply/status.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import type { WaitPolicy } from '../calls/wait-policy.ts';
import type { NotPlayable } from '../run-options.ts';

/**
 * If an endpoint misses the deadline in this number of scenarios in a row, croupier plays no more scenarios that need this
 * endpoint.
 */
const MAX_TIMEOUTS = 5;
/**
 * If this number of scenarios fail because the operator refuses an invented campaign, croupier plays no more scenarios that need a
 * campaign.
 */
const MAX_UNKNOWN_CAMPAIGNS = 2;

/**
 * The expected outcomes of calls that the operator may carry out. Only calls with these outcomes show that an endpoint is fast
 * enough: an operator that does not answer correct calls in time often refuses a wrong call quickly.
 */
const MAY_BE_ACCEPTED: readonly string[] = ['accepted', 'either'];

/** Decides which scenarios it is useless to play, because of the results of earlier scenarios. */
export class GiveUpPolicy {
  readonly #waitPolicy: WaitPolicy;
  /** The number of scenarios in a row in which an endpoint missed the deadline, by endpoint. */
  readonly #timeouts = new Map<CallName, number>();

  /**
   * The endpoints for which a finding of `reply.deadline` exists. If an endpoint is not in this set, scenarios that can show this
   * fault are still played.
   */
  readonly #reported = new Set<CallName>();

  /** Number of scenarios that ended because the operator refused the invented campaign. */
  #unknownCampaigns = 0;

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
    for (const call of late) {
      this.#timeouts.set(call, (this.#timeouts.get(call) ?? 0) + 1);
      this.#reported.add(call);
    }
    // If an endpoint meets the deadline again, the count of this endpoint begins again at 0.
    for (const call of this.#timeouts.keys())
      if (!late.has(call) && passes['reply.deadline']?.[call] !== undefined) this.#timeouts.delete(call);
  }

  /** @param reason the reason why a scenario could not be played to its end; null if there is none */
  noteEnd(reason: string | null): void {
    if (reason === UNKNOWN_CAMPAIGN) this.#unknownCampaigns += 1;
  }

  /** Returns the reason why it is useless to play a scenario. Null if the scenario may show something. */
  reasonAgainst(plan: Plan): NotPlayable | null {
    const late = this.#timedOutCall(plan);
    if (late) {
      const howOften = this.#waitPolicy.neverEnds(late)
        ? `each time (${this.#waitPolicy.timeoutsOf(late)} times so far)`
        : `in ${MAX_TIMEOUTS} scenarios in a row`;
      const reason = `${nameOf(late)} missed the deadline ${howOften}, so scenarios that need it are not played any more`;
      return { verdict: 'inconclusive', reason };
    }
    if (this.#unknownCampaigns >= MAX_UNKNOWN_CAMPAIGNS && needsCampaign(plan))
      return { verdict: 'skip', reason: UNKNOWN_CAMPAIGN };
    const failing = this.#needsReads(plan) ? 'balance' : this.needsFailingBets(plan) ? 'bet' : null;
    if (failing === null) return null;
    const status = this.#waitPolicy.lastFailure(failing);
    const times = `each time (${this.#waitPolicy.failuresOf(failing)} times so far), so scenarios that need it are not played any more`;
    return isBusy(status)
      ? { verdict: 'skip', reason: `${nameOf(failing)} was answered ${status} ${times}`, declined: true }
      : { verdict: 'inconclusive', reason: `${nameOf(failing)} has failed ${times}` };
  }

  /** True if the scenario needs balance reads, but the operator answered "too busy" to every balance read of the run. */
  #needsReads({ needs }: Plan): boolean {
    return !needs.launches && this.#waitPolicy.hasGivenUp('balance') && isBusy(this.#waitPolicy.lastFailure('balance'));
  }

  /**
   * True if the scenario needs an accepted bet, and the operator has never accepted one. Returns false for scenarios about plain
   * bets, because they must show this fault.
   */
  needsFailingBets({ steps, rules }: Plan): boolean {
    if (!this.#waitPolicy.hasGivenUp('bet') || rules.includes('bet.decimal-amount')) return false;
    return steps.some((step) => {
      const calls = step.kind === 'together' ? step.steps : step.kind === 'call' ? [step] : [];
      return calls.some(({ call, expect }) => call === 'bet' && expect.outcome === 'accepted');
    });
  }

  /**
   * Returns the endpoint that the scenario needs and that missed the deadline too often. With this endpoint, the scenario would
   * only wait for the deadline.
   */
  #timedOutCall(plan: Plan): CallName | undefined {
    const needed = new Set(
      plan.steps.flatMap((step) => {
        const calls = step.kind === 'together' ? step.steps : step.kind === 'call' ? [step] : [];
        return calls.flatMap(({ call, expect }) => (MAY_BE_ACCEPTED.includes(expect.outcome) ? [call] : []));
      }),
    );
    // Every scenario reads balances even if none of its steps is a balance call. Only scenarios about launches do not.
    if (!plan.needs.launches) needed.add('balance');
    return [...needed].find(
      (call) =>
        (this.#timeouts.get(call) ?? 0) >= MAX_TIMEOUTS ||
        (this.#reported.has(call) && this.#waitPolicy.neverEnds(call)),
    );
  }

  /** The message for the end of the report. Undefined if there is no message. */
  get notice(): string | undefined {
    const endless = CALL_NAMES.filter((call) => this.#waitPolicy.neverEnds(call));
    if (endless.length > 0) {
      const each = endless.map(
        (call) => `${nameOf(call)} missed the deadline each time (${this.#waitPolicy.timeoutsOf(call)} times)`,
      );
      return `${each.join(', and ')}, so croupier gave up early and played no more scenarios that need it. Find the cause in the operator's own log, fix it, and run again.`;
    }
    if (!this.#waitPolicy.hasGivenUp('bet')) return undefined;
    return `POST /bet failed each time that it was answered (${this.#waitPolicy.failuresOf('bet')} times with a 5xx or 429, never with a 200), so most scenarios could not be judged. Find the cause in the operator's own log, fix it, and run again.`;
  }
}

/** True if a step is a call of a free round that the operator must accept. */
function needsCampaign({ steps }: Plan): boolean {
  return steps.some(
    (step) => step.kind === 'call' && (step.type === 'free' || step.campaign) && step.expect.outcome === 'accepted',
  );
}

function nameOf(call: CallName): string {
  return `${call === 'balance' ? 'GET' : 'POST'} /${call}`;
}
