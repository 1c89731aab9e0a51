import { breach, type GroupChecks, PASS, wants200 } from '../check.ts';
import type { Part } from '../story.ts';
import { hasRound, isMeant, paid, refundedSum } from './refund-step.ts';

const isUnknown = (part: Part): boolean => isMeant(part) && part.step.refund?.kind === 'unknown';

/** Refunds of what the operator does not know, or did not take. */
export const unknownRefundChecks: Pick<
  GroupChecks<'refund'>,
  'refund.unknown' | 'refund.unknown-pays-nothing' | 'refund.declined-bet'
> = {
  'refund.unknown': {
    controlled: 1,
    applies: (part, story) => isUnknown(part) && part.group === null && story.plan.needs.state !== 'expired',
    reply(seen) {
      const refused = wants200(seen, 'the refund of a transaction that the operator does not know');
      if (refused?.kind === 'breach' && !hasRound(seen.part))
        return breach(refused.expected, refused.actual, ['refund.without-round']);
      if (refused) return refused;
      if (!seen.reading?.object) return { kind: 'undecided', reason: 'its body cannot be read as JSON' };
      if (seen.reading.balance.money) return PASS;
      return breach(
        'the reply to the refund of an unknown transaction has a valid body, with `balance`',
        seen.reading.balance.written === undefined
          ? 'it has no `balance`'
          : `its \`balance\` is ${seen.reading.balance.written}`,
      );
    },
  },

  'refund.unknown-pays-nothing': {
    effect: 'the refund of an unknown transaction pays nothing',
    applies: (part) => isUnknown(part) || (isMeant(part) && part.targetIsLater && part.group === null),
    offsets: (seen) => [
      ...paid(seen, seen.amount, 'a refund of an unknown transaction was paid'),
      ...paid(seen, seen.amount?.negated(), 'the amount of a refund of an unknown transaction was taken'),
    ],
  },

  'refund.declined-bet': {
    effect: 'the refund of a bet that was declined pays nothing',
    applies: (part) =>
      isMeant(part) &&
      part.target !== null &&
      part.target.step.call === 'bet' &&
      ['declined', 'refused'].includes(part.target.step.expect.outcome),
    offsets: (seen) =>
      seen.target?.state === 'none' || seen.target?.state === 'refused'
        ? [
            ...paid(seen, refundedSum(seen), 'the refund of a declined bet was paid', ['refund.unknown-pays-nothing']),
            ...paid(seen, refundedSum(seen)?.negated(), 'the refund of a declined bet took its amount once more', [
              'refund.unknown-pays-nothing',
            ]),
          ]
        : [],
  },
};
