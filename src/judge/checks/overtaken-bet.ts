import type { RuleId } from '../../contract/catalogue.ts';
import type { GroupChecks, Seen } from '../check.ts';
import type { Part } from '../story.ts';
import { isNewRefund } from './refund-step.ts';

/** Bets that come after their own refund. */
export const overtakenBetChecks: Pick<GroupChecks<'refund'>, 'refund.before-bet'> = {
  'refund.before-bet': {
    effect: 'a bet that arrives after its own refund, or together with it, leaves the balance as it was',
    applies: (part, story) =>
      part.step.call === 'bet' &&
      part.step.origin.kind === 'fresh' &&
      part.signedRight &&
      story.parts.some(
        (other) => isNewRefund(other) && other.target?.step.key === part.step.key && comesFirst(other, part),
      ),
    offsets: (seen) =>
      seen.effect.isZero()
        ? []
        : [
            {
              by: seen.effect,
              meaning: 'the bet that came after its own refund was taken',
              causes: [...atOnce(seen), ...failing(seen)],
            },
            ...(seen.part.group === null
              ? []
              : [
                  {
                    by: seen.effect.negated(),
                    meaning: 'the refund was paid and the bet was not taken',
                    causes: [...atOnce(seen), ...failing(seen), 'refund.unknown-pays-nothing'] as const,
                  },
                ]),
          ],
  },
};

/** Of calls at once one may be lost, whatever they are. */
function atOnce({ part }: Seen): readonly RuleId[] {
  return part.group === null ? [] : ['concurrency.no-lost-update', 'refund.restore'];
}

/** A bet that fails and is not given back is so in whatever order the two come. */
function failing({ answer }: Seen): readonly RuleId[] {
  return answer === 'failed' || answer === 'late' ? ['refund.after-error'] : [];
}

/** The refund is sent before its bet, or at the same instant. */
function comesFirst(refund: Part, bet: Part): boolean {
  return bet.group === null ? refund.targetIsLater : refund.group === bet.group;
}
