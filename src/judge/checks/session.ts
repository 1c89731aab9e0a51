import type { Plan } from '../../scenario/plan/plan.ts';
import { breach, PASS } from '../decision.ts';
import { describeOutcome } from '../observed-call.ts';
import { isPlain, isTakenBet, type PlannedCall } from '../planned-calls.ts';
import { replaced } from './bet.ts';
import { check4xx, check200, type GroupChecks } from './check.ts';

const isUnknown = ({ step }: PlannedCall): boolean => step.session === 'unknown' && step.origin.kind === 'fresh';

/** True if the call is sent in a session of another player than the player of the scenario's first session. */
function isOfOther({ step }: PlannedCall, { needs }: Plan): boolean {
  return needs.sessions.get(step.session)?.player === 'other';
}

const NO_ROUND_BEGUN =
  'no round could be started, because the session had expired before the run; calls without a round do not show whether the rule is kept';

export const sessionChecks: GroupChecks<'session'> = {
  'session.unknown': {
    applies: (planned) => isUnknown(planned) && planned.step.call !== 'refund' && planned.regular,
    reply(observed) {
      const refused = check4xx(observed, 'a session that the operator never issued');
      if (refused) return refused;
      return observed.reading?.messageForm === 'text' || observed.answer === 'refused'
        ? PASS
        : breach(
            'the error for an unknown session has a `message`',
            `${describeOutcome(observed)}, without a \`message\``,
          );
    },
  },

  // The next balance read of the other player decides this rule, see wallet/isolation.ts.
  'session.isolated': {
    applies: (planned, plannedCalls) =>
      planned.step.call === 'balance' &&
      planned.regular &&
      planned.step.session !== 'unknown' &&
      plannedCalls.calls.some(
        (other) =>
          other.index < planned.index &&
          isTakenBet(other) &&
          isOfOther(other, plannedCalls.plan) !== isOfOther(planned, plannedCalls.plan),
      ),
  },

  'session.expired-settles': {
    applies: (planned, plannedCalls) =>
      isOfExpired(planned, plannedCalls.plan) &&
      (planned.step.call === 'refund' || planned.step.call === 'win') &&
      planned.step.origin.kind === 'fresh' &&
      planned.regular,
    reply(observed) {
      const { call } = observed.planned.step;
      const expected = `a ${call} is accepted after the session expired`;
      if (observed.plannedCalls.plan.needs.earlierRun)
        return check200(observed, `a ${call} after the session expired, for a round that began before,`) ?? PASS;
      if (observed.reading?.code === 'session_expired') return breach(expected, describeOutcome(observed));
      if (observed.answer === 'accepted') return { kind: 'skip', reason: NO_ROUND_BEGUN };
      return call === 'refund' && observed.answer === 'declined'
        ? breach(expected, describeOutcome(observed), ['refund.unknown'])
        : { kind: 'skip', reason: NO_ROUND_BEGUN };
    },
  },

  'session.round-id-reuse': {
    effect: 'the same roundID in a session of another game is no conflict',
    applies: (planned, plannedCalls) =>
      (isTakenBet(planned) || (planned.step.call === 'win' && isPlain(planned))) &&
      planned.group === null &&
      plannedCalls.plan.needs.sessions.get(planned.step.session)?.game === 'other' &&
      plannedCalls.calls.some(
        (other) =>
          other.index < planned.index &&
          other.step.roundID === planned.step.roundID &&
          other.step.session !== planned.step.session,
      ),
    reply: (observed) =>
      check200(observed, `a ${observed.planned.step.call} with a roundID that another game has used`),
    hypotheses: (observed) => {
      const { answer, effect, planned } = observed;
      return answer === 'accepted' && !effect.isZero()
        ? [
            {
              by: effect.negated(),
              meaning: `the ${planned.step.call} with a roundID that another game has used had no effect`,
              causes:
                // An operator that looks only at the roundID treats this call as a further call of the round in the other game.
                planned.step.call === 'win'
                  ? (['win.credit', 'win.many-in-round'] as const)
                  : (['bet.debit', 'bet.many-in-round'] as const),
            },
            ...(planned.step.call === 'bet'
              ? replaced(
                  observed,
                  'when the wallet took the bet, it gave back an earlier bet with the same roundID in another game',
                ).map((hypothesis) => ({
                  ...hypothesis,
                  causes: ['bet.many-in-round'] as const,
                }))
              : []),
          ]
        : [];
    },
  },
};

/**
 * True for a call in an expired session. The operator may accept or decline such a call. But it must accept wins and refunds of
 * rounds that began before the session expired.
 */
export function isOfExpired(
  planned: PlannedCall,
  plan: {
    readonly needs: { readonly state?: string; readonly sessions: ReadonlyMap<string, { readonly state?: string }> };
  },
): boolean {
  const need = planned.step.session === 'main' ? plan.needs : plan.needs.sessions.get(planned.step.session);
  return need?.state === 'expired';
}
