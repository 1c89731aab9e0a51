import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { breach, type GroupChecks, PASS, type Seen, wants200 } from '../check.ts';
import { bySum } from '../expected-sum.ts';
import { isNothingInCents } from '../main-unit.ts';
import type { Offset } from '../obligation.ts';
import { isBroken, type Part } from '../story.ts';

const isNewWin = ({ step }: Part): boolean =>
  step.call === 'win' && step.origin.kind === 'fresh' && step.type !== 'free' && !step.campaign;

const isMeant = (part: Part): boolean => isNewWin(part) && isSentAsMeant(part);

const isSentAsMeant = (part: Part): boolean =>
  part.step.call === 'win' &&
  part.step.origin.kind === 'fresh' &&
  part.regular &&
  part.group === null &&
  part.namesake === null &&
  part.step.expect.outcome === 'accepted' &&
  !isBroken(part);

const isZero = (part: Part): boolean => bySum(part.step, 'amount') === '0';

function notCredited(seen: Seen, meaning: string): Offset[] {
  return seen.answer === 'accepted' && !seen.effect.isZero() ? [{ by: seen.effect.negated(), meaning }] : [];
}

export const winChecks: GroupChecks<'win'> = {
  'win.credit': {
    rank: 1,
    effect: 'an accepted win raises the balance by exactly its amount',
    // Further wins of a round are told of under a rule of their own.
    applies: (part) =>
      isMeant(part) && !isZero(part) && part.winsBefore === 0 && part.step.winOf !== undefined && !part.roundRefunded,
    reply(seen) {
      // Only where the operator took the bet does it owe the win.
      if (seen.target?.answer !== 'accepted' || seen.answer !== 'declined') return undefined;
      if (seen.story.plan.needs.largeAmounts || seen.story.plan.needs.state === 'expired') return undefined;
      const refused = wants200(seen, 'a win in a round whose bet was accepted');
      if (refused?.kind !== 'breach') return refused;
      // An operator that reads no decimals refuses bets with them too.
      const others: readonly RuleId[] = (seen.amount?.decimals() ?? 0) > 0 ? ['bet.decimal-amount'] : [];
      return breach(refused.expected, `${refused.actual}: it is not paid`, [
        ...(refused.causes ?? []),
        ...others,
        'session.round-id-reuse',
      ]);
    },
    offsets: (seen) =>
      seen.answer === 'accepted' && !seen.effect.isZero()
        ? [
            {
              by: seen.effect.negated(),
              meaning: 'the accepted win was not credited',
              causes: isNothingInCents(seen.effect, seen.unit) ? ['money.main-unit'] : [],
            },
            { by: seen.effect, meaning: 'the accepted win was credited twice' },
            { by: seen.effect.times(Money.of('2')).negated(), meaning: 'the win was taken instead of credited' },
            ...(seen.target?.amount && seen.target.amount.compare(seen.effect) < 0
              ? [
                  {
                    by: seen.target.amount.negated(),
                    meaning: 'the bet of the round was kept back from the win',
                    alone: true as const,
                  },
                ]
              : []),
          ]
        : [],
  },

  'win.zero': {
    controlled: 1,
    watched: true,
    effect: 'a win of 0 changes nothing',
    applies: (part) => isSentAsMeant(part) && isZero(part),
    // Whether wins of a campaign, and those after a session has expired, are taken at all is told under the rules about these.
    reply: (seen) =>
      isNewWin(seen.part) && seen.story.plan.needs.state !== 'expired'
        ? (wants200(seen, 'a win of 0') ?? PASS)
        : undefined,
  },

  'win.many-in-round': {
    effect: 'each accepted win of a round is credited',
    applies: (part) => isMeant(part) && part.winsBefore > 0 && !isZero(part),
    reply(seen) {
      const refused = wants200(seen, 'a second win of a round');
      return refused?.kind === 'breach' && seen.answer === 'declined'
        ? { kind: 'warn', expected: refused.expected, actual: refused.actual }
        : refused;
    },
    offsets: (seen) => [
      ...notCredited(seen, 'a further win of the round was answered 200 and not credited'),
      ...(seen.answer === 'accepted' && !seen.effect.isZero()
        ? [
            {
              by: seen.effect,
              meaning: 'a further win of the round was credited twice',
              causes: ['win.credit'] as const,
            },
          ]
        : []),
    ],
  },

  'win.retried': {
    effect: 'a win that is sent again until it is answered 200 is credited exactly once',
    applies: (part) => part.step.call === 'win' && part.source !== null && isBroken(part.source) && part.regular,
    reply: (seen) =>
      seen.part.group === null ? wants200(seen, 'the win, sent again after its connection broke,') : undefined,
    offsets: (seen) =>
      seen.answer === 'accepted' && seen.earlier
        ? [
            { by: seen.earlier.effect, meaning: 'the win was credited twice', causes: ['win.credit'] },
            { by: seen.earlier.effect.negated(), meaning: 'the win was never credited', causes: ['win.credit'] },
          ]
        : [],
    until: 'linger',
  },

  'win.failed-keeps-bet': {
    effect: 'a failed win leaves its bet in place',
    applies: (part) =>
      isNewWin(part) && part.step.winOf !== undefined && ['refused', 'declined'].includes(part.step.expect.outcome),
    offsets(seen) {
      const bet = seen.part.step.winOf === undefined ? undefined : seen.target;
      return bet?.amount && seen.answer !== 'accepted' && seen.reading
        ? [{ by: bet.amount, meaning: 'the bet was given back when its win failed' }]
        : [];
    },
  },

  'win.without-bet': {
    observed: true,
    // Where an earlier run began the round, its bet is known, though it is not in the story.
    applies: (part, story) =>
      isNewWin(part) &&
      part.step.winOf === undefined &&
      part.regular &&
      part.group === null &&
      part.namesake === null &&
      // Nothing that is credited shows nothing.
      !isZero(part) &&
      !story.plan.needs.earlierRun,
  },

  'win.after-refund': {
    observed: true,
    applies: (part) => isNewWin(part) && part.roundRefunded && part.regular && part.group === null,
  },
};
