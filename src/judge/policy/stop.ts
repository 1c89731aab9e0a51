import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import { isBusy, isClientError, isFormRejected } from '../../reply/status.ts';
import { tooManyDecimals } from '../checks/bet.ts';
import { isEnded, operatorLimit, ownDecline, UNKNOWN_CAMPAIGN, WRONG_BALANCES } from '../checks/check.ts';
import { otherWalletTooLow } from '../checks/insufficient-funds.ts';
import { isGarbled } from '../checks/reply-decision.ts';
import { addsField } from '../checks/robustness.ts';
import { isOfExpired } from '../checks/session.ts';
import { describeOutcome, type ObservedCall } from '../observed-call.ts';

/** The reason why a scenario cannot continue. */
export interface Stop {
  readonly verdict: 'skip' | 'inconclusive';
  readonly reason: string;
  /** True if the connection failed. This is not a fault of the operator, so the scenario may be played again. */
  readonly connection: boolean;
  /** Rules whose breach explains the stop. */
  readonly causes: readonly RuleId[];
  /** True if the operator declined a call, as it may. */
  readonly declined?: true;
}

/**
 * Decides whether the scenario can continue after a call. If it can't, the earlier findings still count.
 *
 * @returns null if the scenario continues
 */
export function stopAfter(observed: ObservedCall): Stop | null {
  const { planned, answer } = observed;
  const { step } = planned;
  if (observed.closesConnection) return null;
  if (answer === 'lost') return stopWithoutReply(observed);
  if (step.expect.outcome !== 'accepted' || answer === 'accepted' || answer === 'broken') return null;
  if (step.origin.kind !== 'fresh' || step.call === 'refund') return null;
  const status = observed.reading?.status;
  if ((step.type === 'free' || step.campaign) && !observed.campaignKnown && isClientError(status)) {
    return { verdict: 'skip', reason: UNKNOWN_CAMPAIGN, connection: false, causes: [] };
  }
  const isFurther = (step.call === 'bet' && planned.betsBefore > 0) || (step.call === 'win' && planned.winsBefore > 0);
  if (isFurther && isClientError(status) && status !== 401) {
    return {
      verdict: 'skip',
      reason: `the operator declines a further ${step.call} of a round`,
      connection: false,
      causes: [],
    };
  }
  if (answer === 'declined' && addsField(planned)) {
    return {
      verdict: 'skip',
      reason: `the operator declines a ${step.call} that contains a field unknown to it`,
      connection: false,
      causes: [],
    };
  }
  const poor = otherWalletTooLow(observed);
  if (poor) return { verdict: 'skip', reason: poor, connection: false, causes: [] };
  // The operator may decline a very large amount.
  if (observed.plannedCalls.plan.needs.largeAmounts && answer !== 'refused')
    return {
      verdict: 'skip',
      reason: 'the operator declines such a large amount',
      connection: false,
      causes: [],
    };
  const causes: RuleId[] =
    answer === 'refused' || isFormRejected(status)
      ? ['signature.accepted']
      : answer === 'late'
        ? ['reply.deadline']
        : answer === 'error-200'
          ? ['reply.error-is-not-200']
          : observed.isWronglyDeclined
            ? ['bet.exact-balance']
            : observed.reading?.code === 'insufficient_funds'
              ? [...WRONG_BALANCES]
              : [];
  const tooFine = operatorLimit(observed) ? undefined : tooManyDecimals(observed);
  if (tooFine !== undefined) return { verdict: 'skip', reason: tooFine, connection: false, causes: [] };
  const reason = isEnded(observed)
    ? endedReason(observed)
    : `the ${step.call} of step ${step.key} was not accepted: ${describeOutcome(observed)}`;
  return isBusy(status) || operatorLimit(observed) !== undefined || ownDecline(observed) !== undefined
    ? { verdict: 'skip', reason, connection: false, causes, declined: true }
    : { verdict: 'inconclusive', reason, connection: false, causes };
}

/**
 * Decides whether the scenario can continue after a balance read.
 *
 * @param value the balance that was read; undefined if the reply has no balance
 * @returns null if the scenario continues
 */
export function stopAfterRead(observed: ObservedCall, value: Money | undefined): Stop | null {
  if (observed.answer === 'lost') return stopWithoutReply(observed);
  if (observed.answer === 'accepted' && value) return null;
  if (observed.answer === 'declined' && observed.planned.step.deviations.query?.add !== undefined)
    return {
      verdict: 'skip',
      reason: `the operator declines a parameter of the balance call that it does not know: ${describeOutcome(observed)}`,
      connection: false,
      causes: [],
    };
  const causes: RuleId[] = observed.answer === 'refused' ? ['signature.accepted'] : ['balance.read'];
  const isHidden = observed.answer === 'declined' && isOfExpired(observed.planned, observed.plannedCalls.plan);
  const isDeclined = isBusy(observed.reading?.status) || isEnded(observed);
  return {
    verdict: isHidden || isDeclined ? 'skip' : 'inconclusive',
    reason: isEnded(observed) ? endedReason(observed) : `the balance could not be read: ${describeOutcome(observed)}`,
    connection: false,
    causes,
    ...(isDeclined && { declined: true }),
  };
}

/** Says that a session has ended during the run, and what the user can do. */
function endedReason(observed: ObservedCall): string {
  return `the session has ended (use a session that stays open during the whole run): ${describeOutcome(observed)}`;
}

function stopWithoutReply(observed: ObservedCall): Stop {
  const garbled = isGarbled(observed);
  return {
    verdict: 'inconclusive',
    reason: lostReason(observed),
    connection: !garbled,
    causes: garbled ? ['reply.json'] : [],
  };
}

function lostReason(observed: ObservedCall): string {
  const { outcome } = observed.exchange;
  return outcome.kind === 'none'
    ? // Reports append the names of rules to this clause, so it must not end with a full stop.
      `the connection failed (${outcome.reason}): ${outcome.detail.replace(/\.$/, '')}`
    : 'the connection failed';
}
