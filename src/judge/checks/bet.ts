import { Money } from '../../contract/money.ts';
import { breach, described, type GroupChecks, ownLimit, PASS, type Seen, WRONG_BALANCES, wants200 } from '../check.ts';
import { bySum, mentions } from '../expected-sum.ts';
import { isNothingInCents } from '../main-unit.ts';
import type { Offset } from '../obligation.ts';
import { isPlain, isTakenBet, type Part } from '../story.ts';

const isNewBet = ({ step }: Part): boolean => step.call === 'bet' && step.origin.kind === 'fresh';

/** A bet that asks for more than there is. */
const isBeyond = (part: Part): boolean => isNewBet(part) && part.step.expect.code === 'insufficient_funds';

const isWholeBalance = (part: Part): boolean =>
  isTakenBet(part) && part.group === null && bySum(part.step, 'amount') === 'balance';

const isSecondInRound = (part: Part): boolean =>
  isTakenBet(part) && part.group === null && part.betsBefore > 0 && part.winsBefore === 0 && part.namesake === null;

/** Written with fewer decimals than most currencies have: 1.5, or 2. */
const isShort = (part: Part): boolean => /^(?!0$)\d+(\.\d)?$/.test(bySum(part.step, 'amount') ?? '');

/** What an amount becomes whose digits after the point are not read by their place. */
function misreadings(seen: Seen): Offset[] {
  const { amount } = seen;
  if (!amount || !isShort(seen.part)) return [];
  const digits = amount.shift(amount.decimals());
  const asCents = Money.of(amount.format(1).replace('.', '.0'));
  return [digits, digits.shift(-2), asCents]
    .filter((taken) => !taken.equals(amount))
    .map((taken) => ({ by: amount.minus(taken), meaning: `${taken} was taken for a bet of ${amount}` }));
}

/** Whole amounts that a careless conversion would make of an amount with decimals. */
function roundings(seen: Seen): Offset[] {
  const { amount } = seen;
  if (!amount || amount.decimals() === 0) return [];
  const down = Money.of(amount.format().split('.')[0] ?? '0');
  return [down, down.plus(Money.of('1'))].map((taken) => ({
    by: amount.minus(taken),
    meaning: `${taken} was taken for a bet of ${amount}`,
  }));
}

/** A limit of the operator's own, highest or least, is the reason only beyond the bets that the same story saw accepted. */
function isBeyondAnyTaken(seen: Seen): boolean {
  const { reading, amount, story, part } = seen;
  if (reading?.code !== 'bet_limit' || !amount) return true;
  const taken = story.parts
    .filter((other) => isTakenBet(other) && other.index < part.index && other.step.session === part.step.session)
    .flatMap((other) => seen.amountOf(other) ?? []);
  const sides = new Set(taken.map((other) => Math.sign(other.compare(amount))));
  return sides.size <= 1 && !sides.has(0);
}

/** An earlier bet of the story had no decimals. */
function isAfterWholeBet(seen: Seen): boolean {
  return seen.story.parts.some(
    (part) => part.index < seen.part.index && isTakenBet(part) && seen.amountOf(part)?.decimals() === 0,
  );
}

function notTaken(seen: Seen, meaning: string): Offset[] {
  return seen.answer === 'accepted' ? [{ by: seen.effect.negated(), meaning }] : [];
}

/** A bet stands in the place of an earlier one with its roundID. */
export function replaced(seen: Seen, meaning: string): Offset[] {
  const { answer, part, story } = seen;
  if (answer !== 'accepted') return [];
  const { step } = part;
  return story.parts.flatMap((other) => {
    const isOfRound = other.index < part.index && isTakenBet(other) && other.step.roundID === step.roundID;
    const by = isOfRound && step.roundID !== null ? seen.amountOf(other) : undefined;
    return by ? [{ by, meaning }] : [];
  });
}

export const betChecks: GroupChecks<'bet'> = {
  'bet.debit': {
    rank: 1,
    effect: 'an accepted bet lowers the balance by exactly its amount',
    applies: (part) => isTakenBet(part) && part.group === null && part.namesake === null && part.refundsBefore === 0,
    offsets: (seen) =>
      seen.answer === 'accepted'
        ? [
            {
              by: seen.effect.negated(),
              meaning: 'the accepted bet was not taken',
              causes: [
                ...(isNothingInCents(seen.effect, seen.unit) ? (['money.main-unit'] as const) : []),
                // Where there is not enough, it should not have been accepted.
                ...(seen.isBeyond ? (['bet.insufficient-funds'] as const) : []),
              ],
            },
            { by: seen.effect, meaning: 'the accepted bet was taken twice' },
            { by: seen.effect.times(Money.of('2')).negated(), meaning: 'the bet was credited instead of taken' },
          ]
        : [],
  },

  'bet.decimal-amount': {
    controlled: 1,
    effect: 'a bet with decimals is taken exactly',
    applies: (part) =>
      isTakenBet(part) &&
      part.group === null &&
      (mentions(part.step, 'amount', 'unit') || isShort(part)) &&
      !isWholeBalance(part) &&
      part.betsBefore === 0,
    reply(seen) {
      if (!seen.amount || (seen.amount.decimals() === 0 && !isShort(seen.part))) return undefined;
      // Any bet may fail: that it is the decimals shows only beside one without.
      if (seen.answer === 'failed' && !isAfterWholeBet(seen)) return undefined;
      const refused = wants200(seen, `a bet of ${seen.amount}`);
      return refused?.kind === 'breach' && seen.reading?.code === 'insufficient_funds' ? undefined : refused;
    },
    offsets: (seen) => (seen.answer === 'accepted' ? [...roundings(seen), ...misreadings(seen)] : []),
  },

  'bet.insufficient-funds': {
    // A further bet of a round may be declined for being one.
    applies: (part) => isBeyond(part) && part.betsBefore === 0,
    reply(seen) {
      const { reading } = seen;
      if (!reading) return { kind: 'undecided', reason: described(seen) };
      const expected = 'a bet above the balance is answered with an error whose code is `insufficient_funds`';
      if (seen.answer === 'accepted')
        return breach(expected, `${described(seen)}: the bet was accepted`, WRONG_BALANCES);
      const limit = ownLimit(seen);
      if (limit && isBeyondAnyTaken(seen)) return { kind: 'skip', reason: limit };
      if (seen.answer === 'refused') return { kind: 'undecided', reason: 'it was answered 401' };
      if (reading.code !== 'insufficient_funds') {
        return breach(
          expected,
          reading.code === undefined ? `${described(seen)}, without a \`code\`` : described(seen),
          ['bet.decimal-amount', 'money.precision'],
        );
      }
      if (seen.answer === 'error-200') return PASS;
      if (seen.answer === 'failed') {
        return {
          kind: 'warn',
          expected: `${expected}, and a 4xx`,
          actual: `${described(seen)}, which makes the service send a refund`,
        };
      }
      return PASS;
    },
  },

  'bet.declined-takes-nothing': {
    effect: 'a declined bet takes nothing',
    // Any bet can be declined; those that are to be are what the rule is put to the test by.
    applies: (part) =>
      isNewBet(part) &&
      part.regular &&
      part.step.expect.outcome !== 'refused' &&
      (part.step.expect.outcome === 'declined' || (part.namesake === null && part.refundsBefore === 0)),
    offsets: (seen) =>
      seen.answer === 'declined' && !seen.effect.isZero()
        ? [
            {
              by: seen.effect,
              meaning: 'the bet that was declined was taken all the same',
              causes: seen.part.group === null ? [] : (['refund.restore', 'concurrency.no-lost-update'] as const),
            },
          ]
        : [],
  },

  'bet.exact-balance': {
    controlled: 1,
    effect: 'a bet of the whole balance leaves zero',
    applies: isWholeBalance,
    reply(seen) {
      const refused = wants200(seen, 'a bet of the whole balance');
      return refused?.kind === 'breach'
        ? breach(refused.expected, refused.actual, [
            'bet.debit',
            'win.credit',
            'money.main-unit',
            'money.precision',
            'balance.read',
            'balance.read-only',
            ...(seen.reading?.code === 'insufficient_funds' ? (['money.exact'] as const) : []),
          ])
        : refused;
    },
    offsets: (seen) => notTaken(seen, 'the bet of the whole balance was not taken'),
  },

  'bet.many-in-round': {
    effect: 'each accepted bet of a round is taken',
    applies: isSecondInRound,
    reply(seen) {
      const refused = wants200(seen, 'a second bet of a round');
      return refused?.kind === 'breach' && seen.answer === 'declined'
        ? { kind: 'warn', expected: refused.expected, actual: refused.actual }
        : refused;
    },
    offsets: (seen) => [
      ...notTaken(seen, 'a further bet of the round was answered 200 and not taken'),
      ...replaced(seen, 'a further bet of the round gave back an earlier one'),
    ],
  },

  'bet.zero': {
    observed: true,
    applies: (part) => isNewBet(part) && bySum(part.step, 'amount') === '0' && isPlainApartFromExpect(part),
  },
};

function isPlainApartFromExpect(part: Part): boolean {
  return part.step.expect.outcome === 'either' ? part.regular && part.group === null : isPlain(part);
}
