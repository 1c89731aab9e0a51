import { Money } from '../../contract/money.ts';
import { breach, type GroupChecks, type Seen, wants200 } from '../check.ts';
import type { Offset } from '../obligation.ts';
import { isBroken, isTakenBet, type Part } from '../story.ts';
import { overtakenBetChecks } from './overtaken-bet.ts';
import { hasAmountOfItsOwn, hasRound, isForeign, isMeant, paid, refundedSum } from './refund-step.ts';
import { uncertainBetChecks } from './uncertain-bet.ts';
import { unknownRefundChecks } from './unknown-refund.ts';

const isOfTakenBet = (part: Part): boolean =>
  isMeant(part) &&
  part.target !== null &&
  isTakenBet(part.target) &&
  !part.targetIsLater &&
  !isForeign(part) &&
  !hasAmountOfItsOwn(part);

function notRestored(seen: Seen): Offset[] {
  const amount = refundedSum(seen);
  return seen.answer === 'accepted' && amount && !amount.isZero()
    ? [
        {
          by: amount.negated(),
          meaning: 'the refunded bet was not given back',
          causes: ['bet.debit', 'refund.restore'],
        },
        { by: amount, meaning: 'the refunded bet was given back twice' },
        {
          by: amount.times(Money.of('2')).negated(),
          meaning: 'the refund took the amount of the bet once more',
          causes: ['refund.restore'],
          alone: true,
        },
      ]
    : [];
}

export const refundChecks: GroupChecks<'refund'> = {
  'refund.restore': {
    rank: 1,
    effect: 'refunding an accepted bet gives back exactly its amount',
    applies: (part) =>
      isOfTakenBet(part) &&
      hasRound(part) &&
      !isBroken(part) &&
      part.group === null &&
      part.refundsBefore === 0 &&
      !part.roundSettled,
    reply: (seen) => wants200(seen, 'the refund of an accepted bet'),
    offsets: notRestored,
  },

  ...unknownRefundChecks,

  'refund.without-round': {
    controlled: 1,
    effect: 'a refund without `roundID` gives the bet back',
    applies: (part) =>
      isMeant(part) &&
      part.step.roundID === null &&
      part.group === null &&
      // What a further refund of a bet is answered, and what it moves, is told under the rule about such refunds.
      part.refundsBefore === 0 &&
      part.step.fields.every(([name]) => name !== 'roundID'),
    reply(seen) {
      const refused = wants200(seen, 'a refund without `roundID`');
      return refused?.kind === 'breach' && seen.part.target === null
        ? breach(refused.expected, refused.actual, ['refund.unknown'])
        : refused;
    },
    offsets: notRestored,
  },

  ...uncertainBetChecks,

  'refund.retried': {
    effect: 'a refund that is sent again until it is answered 200 pays exactly once',
    applies: (part) => part.step.call === 'refund' && part.source !== null && isBroken(part.source) && part.regular,
    until: 'linger',
    reply: (seen) =>
      seen.part.group === null ? wants200(seen, 'the refund, sent again after its connection broke,') : undefined,
    offsets: notRestored,
  },

  'refund.one-of-many': {
    effect: 'the refund of one of several bets of a round gives back that bet alone',
    applies: (part) => isOfTakenBet(part) && part.refundsBefore === 0 && othersOfRound(part).length > 0,
    reply: (seen) => (hasRound(seen.part) ? wants200(seen, 'the refund of one of several bets of a round') : undefined),
    offsets(seen) {
      const own = refundedSum(seen);
      if (seen.answer !== 'accepted' || !own) return [];
      const others = seen.story.parts
        .filter(
          (part) =>
            isTakenBet(part) && part.step.roundID === seen.target?.part.step.roundID && part !== seen.target?.part,
        )
        .filter((part) => part.index < seen.part.index)
        .map((part) => seen.amountOf(part))
        .filter((amount) => amount !== undefined);
      const all = others.reduce((total, amount) => total.plus(amount), Money.zero);
      return [
        { by: all, meaning: 'all bets of the round were given back' },
        ...others.map((amount) => ({
          by: amount.minus(own),
          meaning: `another bet of the round, ${amount}, was given back`,
        })),
        ...(isFurtherOfRound(seen)
          ? [{ by: own.negated(), meaning: 'it was taken for the refund of another bet of the round' }]
          : []),
      ].filter(({ by }) => !by.isZero());
    },
  },

  'refund.once': {
    effect: 'a second refund of the same bet pays nothing more',
    applies: (part) =>
      isMeant(part) &&
      part.target?.step.call === 'bet' &&
      part.refundsBefore > 0 &&
      !part.targetIsLater &&
      !isForeign(part),
    offsets(seen) {
      const once = paid(seen, refundedSum(seen), 'a bet that had been refunded was refunded again');
      // Of refunds at once any number may have been paid.
      return seen.part.group === null
        ? once
        : once.flatMap(({ by, meaning }) =>
            Array.from({ length: seen.part.refundsBefore }, (_, more) => ({
              by: by.times(Money.of(String(more + 1))),
              meaning,
            })),
          );
    },
  },

  ...overtakenBetChecks,

  'refund.foreign-session': {
    effect: 'a refund sent for one player that names the bet of another credits nothing to the sender',
    applies: (part, story) =>
      isMeant(part) &&
      part.target?.step.call === 'bet' &&
      isForeign(part) &&
      story.plan.needs.sessions.get(part.step.session)?.player === 'other',
    // To the sender's account the bet of another player may be an unknown one.
    offsets: (seen) => [
      ...paid(seen, refundedSum(seen), "the sender was paid another player's bet", ['refund.unknown-pays-nothing']),
      ...paid(seen, refundedSum(seen)?.negated(), "the sender lost the amount of another player's bet", [
        'refund.unknown-pays-nothing',
      ]),
    ],
  },

  'refund.amount-mismatch': {
    observed: true,
    isOdd: ({ amount, target }) => !amount || !target?.amount || !amount.equals(target.amount),
    applies: (part) =>
      isMeant(part) &&
      part.target !== null &&
      !isForeign(part) &&
      isTakenBet(part.target) &&
      hasAmountOfItsOwn(part) &&
      !part.targetIsLater,
  },

  'refund.after-win': {
    observed: true,
    applies: (part) => isOfTakenBet(part) && part.roundSettled && part.refundsBefore === 0,
  },

  'refund.of-win': {
    observed: true,
    applies: (part) => isMeant(part) && part.target?.step.call === 'win',
  },
};

/** Another bet of the round has been refunded before. */
function isFurtherOfRound({ part, story }: Seen): boolean {
  const mates = othersOfRound(part);
  return story.parts.some(
    ({ index, step: { refund } }) => index < part.index && refund?.kind === 'step' && mates.includes(refund.of),
  );
}

function othersOfRound(part: Part): readonly string[] {
  return part.target === null || part.target.step.roundID === null ? [] : part.roundMates;
}
