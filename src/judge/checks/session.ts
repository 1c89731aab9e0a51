import type { Plan } from '../../scenario/plan.ts';
import { breach, described, type GroupChecks, PASS, wants4xx, wants200 } from '../check.ts';
import { isPlain, isTakenBet, type Part } from '../story.ts';
import { replaced } from './bet.ts';

const isUnknown = ({ step }: Part): boolean => step.session === 'unknown' && step.origin.kind === 'fresh';

/** Whether it is sent in a session of another player than the scenario's first session. */
function isOfOther({ step }: Part, { needs }: Plan): boolean {
  return needs.sessions.get(step.session)?.player === 'other';
}

const NO_ROUND_BEGUN =
  'the session had expired before the run, so no round was begun in it; a refund that needs none was not refused';

export const sessionChecks: GroupChecks<'session'> = {
  'session.unknown': {
    applies: (part) => isUnknown(part) && part.step.call !== 'refund' && part.regular,
    reply(seen) {
      const refused = wants4xx(seen, 'a session that the operator never issued');
      if (refused) return refused;
      return seen.reading?.messageForm === 'text' || seen.answer === 'refused'
        ? PASS
        : breach('the error for an unknown session has a `message`', `${described(seen)}, without a \`message\``);
    },
  },

  // Decided by the other player's read, see judge.ts.
  'session.isolated': {
    applies: (part, story) =>
      part.step.call === 'balance' &&
      part.regular &&
      part.step.session !== 'unknown' &&
      story.parts.some(
        (other) =>
          other.index < part.index && isTakenBet(other) && isOfOther(other, story.plan) !== isOfOther(part, story.plan),
      ),
  },

  'session.expired-settles': {
    applies: (part, story) =>
      isOfExpired(part, story.plan) &&
      (part.step.call === 'refund' || part.step.call === 'win') &&
      part.step.origin.kind === 'fresh' &&
      part.regular,
    reply(seen) {
      const { call } = seen.part.step;
      const expected = `a ${call} is accepted after the session expired`;
      if (seen.story.plan.needs.earlierRun)
        return wants200(seen, `a ${call} of a round that was begun in time, sent after the session expired,`) ?? PASS;
      if (seen.reading?.code === 'session_expired') return breach(expected, described(seen));
      if (seen.answer === 'accepted') return { kind: 'skip', reason: NO_ROUND_BEGUN };
      return call === 'refund' && seen.answer === 'declined'
        ? breach(expected, described(seen), ['refund.unknown'])
        : { kind: 'skip', reason: NO_ROUND_BEGUN };
    },
  },

  'session.round-id-reuse': {
    effect: 'the same roundID in a session of another game is no conflict',
    applies: (part, story) =>
      (isTakenBet(part) || (part.step.call === 'win' && isPlain(part))) &&
      part.group === null &&
      story.plan.needs.sessions.get(part.step.session)?.game === 'other' &&
      story.parts.some(
        (other) =>
          other.index < part.index &&
          other.step.roundID === part.step.roundID &&
          other.step.session !== part.step.session,
      ),
    reply: (seen) => wants200(seen, `a ${seen.part.step.call} with a roundID that another game has used`),
    offsets: (seen) => {
      const { answer, effect, part } = seen;
      return answer === 'accepted' && !effect.isZero()
        ? [
            {
              by: effect.negated(),
              meaning: `the ${part.step.call} with a roundID that another game has used had no effect`,
              causes:
                // Who goes by the roundID alone takes it for a further call of that round.
                part.step.call === 'win'
                  ? (['win.credit', 'win.many-in-round'] as const)
                  : (['bet.debit', 'bet.many-in-round'] as const),
            },
            ...(part.step.call === 'bet'
              ? replaced(seen, 'the bet gave back one with the same roundID in another game').map((offset) => ({
                  ...offset,
                  causes: ['bet.many-in-round'] as const,
                }))
              : []),
          ]
        : [];
    },
  },
};

/** Is the call of a session that has expired? What it still shows and takes is the operator's to say, but for what began in time. */
export function isOfExpired(
  part: Part,
  plan: {
    readonly needs: { readonly state?: string; readonly sessions: ReadonlyMap<string, { readonly state?: string }> };
  },
): boolean {
  const need = part.step.session === 'main' ? plan.needs : plan.needs.sessions.get(part.step.session);
  return need?.state === 'expired';
}
