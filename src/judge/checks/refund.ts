import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { breach, type Decision, type GroupChecks, PASS, type Seen, wants200 } from '../check.ts';
import { fieldOf } from '../expected-sum.ts';
import type { Offset } from '../obligation.ts';
import { isBroken, isTakenBet, type Part } from '../story.ts';

const isNewRefund = ({ step }: Part): boolean => step.call === 'refund' && step.origin.kind === 'fresh';

/** Sent as the service sends it, alone; the story may leave open how it is answered. */
const isMeant = (part: Part): boolean =>
  isNewRefund(part) && part.regular && part.namesake === null && part.step.session !== 'unknown';

const isForeign = (part: Part): boolean => part.target !== null && part.target.step.session !== part.step.session;

const hasAmountOfItsOwn = (part: Part): boolean => {
  const own = fieldOf(part.step, 'amount');
  const bets = part.target && fieldOf(part.target.step, 'amount');
  return Boolean(own && bets) && JSON.stringify(own) !== JSON.stringify(bets);
};

/** A refund without a round is a twist of its own, and whatever is judged about refunds is judged by one that has a round. */
const hasRound = ({ step }: Part): boolean => step.roundID !== null;

const isUnknown = (part: Part): boolean => isMeant(part) && part.step.refund?.kind === 'unknown';

const isOfTakenBet = (part: Part): boolean =>
  isMeant(part) &&
  part.target !== null &&
  isTakenBet(part.target) &&
  !part.targetIsLater &&
  !isForeign(part) &&
  !hasAmountOfItsOwn(part);

function paid(seen: Seen, amount: Money | undefined, meaning: string, causes: readonly RuleId[] = []): Offset[] {
  return amount && !amount.isZero() && seen.reading ? [{ by: amount, meaning, causes }] : [];
}

/** The bet's own amount; the refund's where the bet is not known. */
function sum(seen: Seen): Money | undefined {
  return seen.target?.amount ?? seen.amount;
}

function notRestored(seen: Seen): Offset[] {
  const amount = sum(seen);
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

/** Another bet of the round has been refunded before. */
function isFurtherOfRound({ part, story }: Seen): boolean {
  const mates = othersOfRound(part);
  return story.parts.some(
    ({ index, step: { refund } }) => index < part.index && refund?.kind === 'step' && mates.includes(refund.of),
  );
}

/** The story refunds several bets of the round. */
function isOneOfRound({ part: { target }, story }: Seen): boolean {
  const bet = target?.step;
  if (!bet || bet.roundID === null) return false;
  return story.parts.some(
    ({ target: other }) => other !== null && other.step.key !== bet.key && other.step.roundID === bet.roundID,
  );
}

/** A bet whose fate the service does not know, and its refund. */
function lateOffsets(seen: Seen, others: readonly RuleId[] = []): Offset[] {
  const ofRound = isOneOfRound(seen) ? (['refund.one-of-many'] as const) : [];
  const amount = sum(seen);
  return amount
    ? [
        {
          by: amount.negated(),
          meaning: 'the bet was taken and stayed taken although its refund was answered 200',
          causes: ['refund.restore', 'concurrency.no-lost-update', 'money.main-unit', ...ofRound],
        },
        {
          by: amount,
          meaning: 'the refund was paid for a bet that had not been taken',
          causes: [
            'bet.debit',
            'refund.unknown-pays-nothing',
            'concurrency.no-lost-update',
            'money.main-unit',
            ...others,
            ...ofRound,
            ...(ofRound.length > 0 ? (['bet.many-in-round'] as const) : []),
          ],
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
    reply(seen) {
      const refused = wants200(seen, 'the refund of an accepted bet');
      return refused;
    },
    offsets: notRestored,
  },

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
            ...paid(seen, sum(seen), 'the refund of a declined bet was paid', ['refund.unknown-pays-nothing']),
            ...paid(seen, sum(seen)?.negated(), 'the refund of a declined bet took its amount once more', [
              'refund.unknown-pays-nothing',
            ]),
          ]
        : [],
  },

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

  'refund.broken-connection': {
    until: 'linger',
    effect: 'a refunded bet leaves the balance as it was, also when it is carried out late',
    applies: (part) =>
      isMeant(part) && part.target !== null && isBroken(part.target) && part.target.step.call === 'bet',
    reply: (seen) =>
      hasRound(seen.part)
        ? becauseUnknown(seen, wants200(seen, 'the refund of a bet whose connection broke'))
        : undefined,
    // How the operator had answered a bet is not known where the connection broke: it may have been with a 500.
    offsets: (seen) => lateOffsets(seen, ['refund.after-error']),
  },

  'refund.after-error': {
    until: 'linger',
    effect: 'a refunded bet leaves the balance as it was, also when the bet was answered 500 or too late',
    applies: (part) =>
      isMeant(part) &&
      part.target?.step.call === 'bet' &&
      (part.target.regular || (part.target.signedRight && part.target.step.expect.outcome === 'accepted')) &&
      !isBroken(part.target) &&
      !isForeign(part) &&
      !part.targetIsLater,
    reply(seen) {
      const bet = seen.target?.answer;
      if (bet !== 'failed' && bet !== 'late') {
        return seen.part.target?.step.expect.outcome === 'either'
          ? { kind: 'skip', reason: 'no bet of the story was answered 500 or after the deadline' }
          : undefined;
      }
      return becauseUnknown(
        seen,
        wants200(seen, `the refund of a bet that was answered ${bet === 'failed' ? '500' : 'too late'}`),
      );
    },
    offsets: (seen) =>
      seen.target?.answer === 'failed' || seen.target?.answer === 'late' ? offsetsAfterError(seen) : [],
  },

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
      const own = sum(seen);
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
      const once = paid(seen, sum(seen), 'a bet that had been refunded was refunded again');
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
                    causes: [...atOnce(seen), 'refund.unknown-pays-nothing'] as const,
                  },
                ]),
          ],
  },

  'refund.foreign-session': {
    effect: 'a refund sent for one player that names the bet of another credits nothing to the sender',
    applies: (part, story) =>
      isMeant(part) &&
      part.target?.step.call === 'bet' &&
      isForeign(part) &&
      story.plan.needs.sessions.get(part.step.session)?.player === 'other',
    // To the sender's account the bet of another player may be an unknown one.
    offsets: (seen) => [
      ...paid(seen, sum(seen), "the sender was paid another player's bet", ['refund.unknown-pays-nothing']),
      ...paid(seen, sum(seen)?.negated(), "the sender lost the amount of another player's bet", [
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

/** Of calls at once one may be lost, whatever they are. */
function atOnce({ part }: Seen): readonly RuleId[] {
  return part.group === null ? [] : ['concurrency.no-lost-update', 'refund.restore'];
}

/** A bet that fails and is not given back is so in whatever order the two come. */
function failing({ answer }: Seen): readonly RuleId[] {
  return answer === 'failed' || answer === 'late' ? ['refund.after-error'] : [];
}

/** A bet that failed, with an answer, is not at work any more: if it was alone, nothing was lost among calls at once. */
function offsetsAfterError(seen: Seen): Offset[] {
  const isAlone = seen.target?.answer === 'failed' && seen.part.target?.group === null;
  return lateOffsets(seen).map(({ causes = [], ...offset }) => ({
    ...offset,
    causes: isAlone ? causes.filter((rule) => rule !== 'concurrency.no-lost-update') : causes,
  }));
}

/** The refund is sent before its bet, or at the same instant. */
function comesFirst(refund: Part, bet: Part): boolean {
  return bet.group === null ? refund.targetIsLater : refund.group === bet.group;
}

function othersOfRound(part: Part): readonly string[] {
  return part.target === null || part.target.step.roundID === null ? [] : part.roundMates;
}

/** Where the bet never arrived, its refund is one of an unknown transaction, and refused for that. */
function becauseUnknown(seen: Seen, decision: Decision | undefined): Decision | undefined {
  return decision?.kind === 'breach' && seen.answer === 'declined' && seen.target?.state === 'unknown'
    ? breach(decision.expected, decision.actual, ['refund.unknown'])
    : decision;
}
