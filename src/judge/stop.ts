import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import { described, isOfForm, isTurnedAway, type Seen, UNKNOWN_CAMPAIGN } from './check.ts';
import { addsField } from './checks/robustness.ts';
import { isOfExpired } from './checks/session.ts';
import { wantOfOther } from './denied.ts';
import { isGarbled } from './reply-decision.ts';

/** Why a story cannot go on. */
export interface Stop {
  readonly verdict: 'skip' | 'inconclusive';
  readonly reason: string;
  /** Not the operator's fault, so the story may be played again. */
  readonly connection: boolean;
  /** Rules whose breach explains it. */
  readonly causes: readonly RuleId[];
}

/** A story can't go on without a call that it needed; what it found until then stands. @returns null where it goes on */
export function stopAfter(seen: Seen): Stop | null {
  const { part, answer } = seen;
  const { step } = part;
  if (seen.closes) return null;
  if (answer === 'lost') return stopForWantOfReply(seen);
  if (step.expect.outcome !== 'accepted' || answer === 'accepted' || answer === 'broken') return null;
  if (step.origin.kind !== 'fresh' || step.call === 'refund') return null;
  const status = seen.reading?.status ?? 0;
  if ((step.type === 'free' || step.campaign) && !seen.campaignKnown && status >= 400 && status < 500) {
    return { verdict: 'skip', reason: UNKNOWN_CAMPAIGN, connection: false, causes: [] };
  }
  const isFurther = (step.call === 'bet' && part.betsBefore > 0) || (step.call === 'win' && part.winsBefore > 0);
  if (isFurther && status >= 400 && status < 500 && status !== 401) {
    return {
      verdict: 'skip',
      reason: `the operator declines a further ${step.call} of a round`,
      connection: false,
      causes: [],
    };
  }
  if (answer === 'declined' && addsField(part)) {
    return {
      verdict: 'skip',
      reason: `the operator declines a ${step.call} with a field that it does not know`,
      connection: false,
      causes: [],
    };
  }
  const poor = wantOfOther(seen);
  if (poor) return { verdict: 'skip', reason: poor, connection: false, causes: [] };
  // A huge amount is the operator's to refuse.
  if (seen.story.plan.needs.largeAmounts && answer !== 'refused')
    return {
      verdict: 'skip',
      reason: 'the operator declines an amount that large',
      connection: false,
      causes: [],
    };
  const limit =
    seen.reading &&
    (isTurnedAway(seen.reading.status) ||
      ['bet_limit', 'loss_limit', 'time_limit', 'account_blocked'].includes(seen.reading.code ?? ''));
  const causes: RuleId[] =
    answer === 'refused' || isOfForm(status)
      ? ['signature.accepted']
      : answer === 'late'
        ? ['reply.deadline']
        : answer === 'error-200'
          ? ['reply.error-is-not-200']
          : seen.isDenied
            ? ['bet.exact-balance']
            : [];
  return {
    verdict: limit ? 'skip' : 'inconclusive',
    reason: `the ${step.call} of step ${step.key} was ${described(seen)}`,
    connection: false,
    causes,
  };
}

/** A story can't go on without a read that it needed. `value`: what the read told. @returns null where it goes on */
export function stopAfterRead(seen: Seen, value: Money | undefined): Stop | null {
  if (seen.answer === 'lost') return stopForWantOfReply(seen);
  if (seen.answer === 'accepted' && value) return null;
  const causes: RuleId[] = seen.answer === 'refused' ? ['signature.accepted'] : ['balance.read'];
  const isHidden = seen.answer === 'declined' && isOfExpired(seen.part, seen.story.plan);
  return {
    verdict: isHidden || isTurnedAway(seen.reading?.status) ? 'skip' : 'inconclusive',
    reason: `the balance could not be read: ${described(seen)}`,
    connection: false,
    causes,
  };
}

function stopForWantOfReply(seen: Seen): Stop {
  const garbled = isGarbled(seen);
  return {
    verdict: 'inconclusive',
    reason: lostReason(seen),
    connection: !garbled,
    causes: garbled ? ['reply.json'] : [],
  };
}

function lostReason(seen: Seen): string {
  const { outcome } = seen.exchange;
  return outcome.kind === 'none'
    ? `the connection failed (${outcome.reason}): ${outcome.detail}`
    : 'the connection failed';
}
