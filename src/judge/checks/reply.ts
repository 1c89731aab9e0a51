import { isWithin, replyMs } from '../../journal/exchange.ts';
import { verdictOnTime } from '../../reply/problems.ts';
import { breach, type Decision, PASS } from '../decision.ts';
import type { ObservedCall } from '../observed-call.ts';
import {
  causesInRepeat,
  decisionFrom,
  decisionOnReply,
  type GroupChecks,
  mayBeOwnDelay,
  mayBeUnknown,
} from './check.ts';

/** Maximum number of ids that are kept. They are enough to judge the rule, even if a scenario has more calls. */
const MAX_IDS = 10_000;

/** Remembers which step got which txID of the operator. Each txID must belong to one call only. */
export class OperatorTxIDs {
  readonly #owners = new Map<string, string>();

  /** Judges the rule `reply.tx-id-distinct`. Returns undefined if the reply has no id, or if the call was not accepted. */
  take({ planned, reading, answer }: ObservedCall): Decision | undefined {
    const txID = reading?.txID;
    if (answer !== 'accepted' || !txID) return undefined;
    const owner = this.#owners.get(txID);
    if (this.#owners.size < MAX_IDS) this.#owners.set(txID, planned.step.key);
    return owner === undefined || owner === planned.step.key
      ? PASS
      : breach(
          'different bets and wins get different operator txIDs',
          `step ${owner} already got the txID ${JSON.stringify(txID)}`,
        );
  }
}

export const replyChecks: GroupChecks<'reply'> = {
  'reply.success-is-200': {
    applies: (planned) => planned.step.expect.outcome === 'accepted',
    reply: (observed) => decisionOnReply('reply.success-is-200', observed),
  },

  'reply.error-is-not-200': {
    applies: (planned) => planned.step.expect.outcome !== 'accepted' || planned.step.origin.kind === 'fresh',
    reply: (observed) => decisionOnReply('reply.error-is-not-200', observed),
  },

  'reply.deadline': {
    // If the operator gives no reply to a body that the service would never send, another rule reports the fault: the rule about
    // this body.
    applies: (planned) =>
      planned.group === null &&
      planned.step.deviations.break === undefined &&
      planned.step.deviations.body === undefined,
    reply({ answer, reading, exchange, deadlineMs }) {
      if (answer !== 'late' && !reading) return undefined;
      const { stamps } = exchange;
      if (answer === 'late' ? mayBeOwnDelay(stamps) : isWithin(stamps, deadlineMs) === undefined) return undefined;
      return decisionFrom(verdictOnTime(answer !== 'late', replyMs(stamps), deadlineMs));
    },
  },

  'reply.json': {
    applies: (planned) => planned.step.expect.outcome === 'accepted',
    reply: (observed) => decisionOnReply('reply.json', observed, causesInRepeat(observed)),
  },

  'reply.content-type': {
    applies: (planned) => planned.step.expect.outcome === 'accepted',
    reply: (observed) => decisionOnReply('reply.content-type', observed),
  },

  'reply.tx-id': {
    applies: (planned) => planned.step.call !== 'balance' && planned.step.expect.outcome === 'accepted',
    reply: (observed) =>
      decisionOnReply('reply.tx-id', observed, [
        ...(mayBeUnknown(observed) ? (['refund.unknown'] as const) : []),
        ...causesInRepeat(observed),
      ]),
  },

  // OperatorTxIDs decides this rule over the whole scenario.
  'reply.tx-id-distinct': {
    applies: (planned) =>
      (planned.step.call === 'bet' || planned.step.call === 'win') &&
      planned.step.origin.kind === 'fresh' &&
      planned.sameTxID === null &&
      planned.step.expect.outcome === 'accepted',
  },

  'reply.error-message': {
    applies: () => true,
    reply(observed) {
      const decision = decisionOnReply('reply.error-message', observed);
      // If a call fails that must be accepted, other rules report the failure. Only a text that a player must not see is a further
      // fault.
      return observed.planned.step.expect.outcome !== 'accepted' || decision?.kind === 'breach' ? decision : undefined;
    },
  },

  'reply.error-code': {
    applies: (planned) => planned.step.expect.outcome !== 'accepted',
    reply: (observed) => decisionOnReply('reply.error-code', observed),
  },
};
