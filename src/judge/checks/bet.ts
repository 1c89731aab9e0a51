import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { isRedirect } from '../../reply/status.ts';
import { isNothingInCents } from '../attribution/units.ts';
import { breach, PASS } from '../decision.ts';
import { describeOutcome, type ObservedCall } from '../observed-call.ts';
import type { BalanceHypothesis } from '../pending-check.ts';
import { isPlain, isTakenBet, type PlannedCall } from '../planned-calls.ts';
import { CREDIT, check200, type GroupChecks, operatorLimit, ownDecline, WRONG_BALANCES } from './check.ts';
import { isZeroAmount, plannedAmount } from './planned-amount.ts';

const isNewBet = ({ step }: PlannedCall): boolean => step.call === 'bet' && step.origin.kind === 'fresh';

/** True for a new bet that the scenario expects to be declined because the balance is too low. */
const exceedsBalance = (planned: PlannedCall): boolean =>
  isNewBet(planned) && planned.step.expect.code === 'insufficient_funds';

const isWholeBalance = (planned: PlannedCall): boolean =>
  isTakenBet(planned) && planned.group === null && plannedAmount(planned.step).isBalance;

const isSecondInRound = (planned: PlannedCall): boolean =>
  isTakenBet(planned) &&
  planned.group === null &&
  planned.betsBefore > 0 &&
  planned.winsBefore === 0 &&
  planned.sameTxID === null;

const hasFewDecimals = (planned: PlannedCall): boolean => plannedAmount(planned.step).hasFewDecimals;

/**
 * True if the amount tests how the operator reads decimals: the amount has decimals, or it is written with fewer decimals than the
 * currency has.
 */
const isAboutDecimals = ({ amount, planned }: ObservedCall): boolean =>
  amount !== undefined && (amount.decimals() > 0 || hasFewDecimals(planned));

/** True if the amount has more decimals than the currency. */
const hasTooManyDecimals = ({ amount, decimals }: ObservedCall): boolean => (amount?.decimals() ?? 0) > decimals;

/** Returns the hypotheses that the operator misreads the digits after the point, for example 1.5 as 1.05. */
function misreadings(observed: ObservedCall): BalanceHypothesis[] {
  const { amount } = observed;
  if (!amount || !hasFewDecimals(observed.planned)) return [];
  const digits = amount.shift(amount.decimals());
  const whole = amount.truncated(0);
  const asCents = whole.plus(amount.minus(whole).shift(-1));
  return [digits, digits.shift(-2), asCents]
    .filter((taken) => !taken.equals(amount))
    .map((taken) => ({ by: amount.minus(taken), meaning: `${taken} was taken for a bet of ${amount}` }));
}

/**
 * Returns the reason why the operator may decline a bet because of its decimals: the amount has more decimals than the currency, or
 * more than every balance so far. Returns undefined if the amount has no more decimals, or if the scenario file states the outcome
 * that it expects.
 */
export function tooManyDecimals({
  amount,
  answer,
  currency,
  decimals,
  planned: { step },
  reading,
}: ObservedCall): string | undefined {
  if (step.call !== 'bet' || answer !== 'declined' || step.expect.stated || reading?.code === 'insufficient_funds')
    return undefined;
  if (!amount || amount.decimals() <= decimals || !plannedAmount(step).mayHaveDecimals) return undefined;
  const limit =
    currency?.decimals == null
      ? `than the balances that the operator has shown so far (${decimals})`
      : `than ${currency.code} has (${decimals})`;
  return `the operator declines a bet of ${amount}, which has more decimals ${limit}`;
}

/** Returns the hypotheses that the operator rounds an amount with decimals to a whole amount, down or up. */
function roundings(observed: ObservedCall): BalanceHypothesis[] {
  const { amount } = observed;
  if (!amount || amount.decimals() === 0) return [];
  const down = amount.truncated(0);
  return [down, down.plus(Money.of('1'))].map((taken) => ({
    by: amount.minus(taken),
    meaning: `${taken} was taken for a bet of ${amount}`,
  }));
}

/**
 * True if a limit on the amount may be the reason why the operator declined a bet. False if the operator has accepted both a bet
 * that is at least as high and a bet that is at most as high. No limit declines only an amount between two accepted amounts.
 */
function mayBeLimit(observed: ObservedCall): boolean {
  const { amount, plannedCalls, planned, stake } = observed;
  if (!amount) return true;
  const taken = plannedCalls.calls
    .filter((other) => isTakenBet(other) && other.index < planned.index && other.step.session === planned.step.session)
    .flatMap((other) => observed.amountOf(other) ?? []);
  // An operator that has accepted a bet also accepts a bet of one stake. croupier assumes this, because no scenario of the suite
  // works without such a bet.
  const accepted = taken.length > 0 && stake ? [...taken, stake] : taken;
  const sides = new Set(accepted.map((other) => Math.sign(other.compare(amount))));
  return sides.size <= 1 && !sides.has(0);
}

/**
 * If the operator declined a bet because of a limit that does not depend on the amount, returns this reason. Otherwise returns
 * undefined.
 */
function limitOfAnotherKind(observed: ObservedCall): string | undefined {
  return observed.reading?.code === 'bet_limit' ? undefined : operatorLimit(observed);
}

/** True if an earlier bet of the scenario had no decimals. */
function isAfterWholeBet(observed: ObservedCall): boolean {
  return observed.plannedCalls.calls.some(
    (planned) =>
      planned.index < observed.planned.index && isTakenBet(planned) && observed.amountOf(planned)?.decimals() === 0,
  );
}

function notTaken(observed: ObservedCall, meaning: string): BalanceHypothesis[] {
  return observed.answer === 'accepted' ? [{ by: observed.effect.negated(), meaning }] : [];
}

/**
 * Returns the hypothesis that an accepted bet replaced an earlier bet with the same roundID. Then the operator gave back the amount
 * of the earlier bet.
 */
export function replaced(observed: ObservedCall, meaning: string): BalanceHypothesis[] {
  const { answer, planned, plannedCalls } = observed;
  if (answer !== 'accepted') return [];
  const { step } = planned;
  return plannedCalls.calls.flatMap((other) => {
    const isOfRound = other.index < planned.index && isTakenBet(other) && other.step.roundID === step.roundID;
    const by = isOfRound && step.roundID !== null ? observed.amountOf(other) : undefined;
    return by ? [{ by, meaning }] : [];
  });
}

/**
 * Rules whose breach can also make a balance too low by the amount of a declined bet, if the bet was sent together with other calls. If a
 * refund arrives before its bet, an operator may pay the refund and decline the bet. Or it may take an accepted bet of this amount twice.
 */
const CAUSES_AT_ONCE: readonly RuleId[] = [
  'refund.restore',
  'refund.unknown-pays-nothing',
  'concurrency.no-lost-update',
  'bet.debit',
];

export const betChecks: GroupChecks<'bet'> = {
  'bet.debit': {
    rank: 1,
    effect: 'an accepted bet lowers the balance by exactly its amount',
    applies: (planned) =>
      isTakenBet(planned) && planned.group === null && planned.sameTxID === null && planned.refundsBefore === 0,
    hypotheses: (observed) =>
      observed.answer === 'accepted'
        ? [
            {
              by: observed.effect.negated(),
              meaning: 'the accepted bet was not taken',
              causes: [
                ...(isNothingInCents(observed.effect, observed.unit) ? (['money.main-unit'] as const) : []),
                // A bet above the balance should not have been accepted.
                ...(observed.exceedsBalance ? (['bet.insufficient-funds'] as const) : []),
              ],
            },
            { by: observed.effect, meaning: 'the accepted bet was taken twice' },
            { by: observed.effect.times(Money.of('2')).negated(), meaning: 'the bet was credited instead of taken' },
          ]
        : [],
  },

  'bet.decimal-amount': {
    controlled: 1,
    effect: 'a bet with decimals is taken exactly',
    applies: (planned) =>
      isTakenBet(planned) &&
      planned.group === null &&
      (plannedAmount(planned.step).mayHaveDecimals || hasFewDecimals(planned)) &&
      !isWholeBalance(planned) &&
      planned.betsBefore === 0,
    reply(observed) {
      if (!isAboutDecimals(observed)) return undefined;
      const reason = tooManyDecimals(observed);
      if (reason !== undefined) return { kind: 'skip', reason };
      // If an amount has too many decimals for the currency, the reply to it shows nothing about valid amounts.
      if (hasTooManyDecimals(observed)) return undefined;
      // Every bet can fail for another reason than its decimals. So the decimals count as the cause only if a bet without decimals
      // was accepted before.
      if ((observed.answer === 'failed' || observed.answer === 'refused') && !isAfterWholeBet(observed))
        return undefined;
      const declined = ownDecline(observed);
      if (declined !== undefined && mayBeLimit(observed)) return { kind: 'skip', reason: declined, declined: true };
      if (observed.ownLimit === 'steps')
        return {
          kind: 'warn',
          expected: `a bet of ${observed.amount} is answered 200`,
          actual: describeOutcome(observed),
          why: 'an operator may accept only multiples of a step, such as 0.50',
        };
      const refused = check200(observed, `a bet of ${observed.amount}`);
      return refused?.kind === 'breach' && observed.reading?.code === 'insufficient_funds' ? undefined : refused;
    },
    hypotheses: (observed) =>
      observed.answer === 'accepted' && !hasTooManyDecimals(observed)
        ? [...roundings(observed), ...misreadings(observed)]
        : [],
  },

  'bet.insufficient-funds': {
    // The operator may decline a second bet of a round for another reason, so only the first bet counts.
    applies: (planned) => exceedsBalance(planned) && planned.betsBefore === 0,
    reply(observed) {
      const { reading } = observed;
      const expected = 'a bet above the balance is answered with an error whose code is `insufficient_funds`';
      if (observed.closesConnection) return breach(expected, describeOutcome(observed));
      if (!reading) return { kind: 'undecided', reason: describeOutcome(observed) };
      if (observed.answer === 'accepted')
        return observed.hasCredit
          ? { kind: 'skip', reason: CREDIT }
          : {
              ...breach(expected, `${describeOutcome(observed)}: the bet was accepted`, WRONG_BALANCES),
              // If money arrived late, the bet leaves no balance below zero.
              ...(reading.balance.money?.isNegative() && { shownByReplies: true }),
            };
      const declined = ownDecline(observed);
      const limit = mayBeLimit(observed) ? declined : limitOfAnotherKind(observed);
      if (limit !== undefined) return { kind: 'skip', reason: limit, declined: true };
      // A 401 with the right code states the reason, like every other 4xx. A 401 without this code may concern the signature.
      if (observed.answer === 'refused' && reading.code !== 'insufficient_funds')
        return { kind: 'undecided', reason: 'the bet was answered 401' };
      if (reading.code !== 'insufficient_funds') {
        return breach(
          expected,
          reading.code === undefined ? `${describeOutcome(observed)}, without a \`code\`` : describeOutcome(observed),
          [
            'bet.decimal-amount',
            'money.precision',
            ...(isRedirect(reading.status) ? (['reply.success-is-200'] as const) : []),
          ],
        );
      }
      if (observed.answer === 'error-200') return PASS;
      if (observed.answer === 'failed') {
        return {
          kind: 'warn',
          expected: `${expected}, and a 4xx`,
          actual: `${describeOutcome(observed)}, and the service then sends a refund`,
          why: 'the bet is declined with the right code, and the refund of this bet moves no money',
        };
      }
      return PASS;
    },
  },

  'bet.declined-takes-nothing': {
    effect: 'a declined bet takes nothing',
    // The rule applies to two kinds of bets:
    // - a bet that must be accepted, also with a further field, because the operator can decline any bet because of a limit
    // - a bet that the scenario expects to be declined, because this bet tests the rule on purpose
    applies: (planned) =>
      isNewBet(planned) &&
      (planned.regular || (planned.signedRight && planned.step.expect.outcome === 'accepted')) &&
      planned.step.expect.outcome !== 'refused' &&
      (planned.step.expect.outcome === 'declined' || (planned.sameTxID === null && planned.refundsBefore === 0)),
    hypotheses: (observed) =>
      observed.answer === 'declined' && !observed.effect.isZero()
        ? [
            {
              by: observed.effect,
              meaning: 'the declined bet was taken',
              causes: observed.planned.group === null ? [] : CAUSES_AT_ONCE,
            },
          ]
        : [],
  },

  'bet.exact-balance': {
    controlled: 1,
    effect: 'a bet of the whole balance leaves zero',
    applies: isWholeBalance,
    reply(observed) {
      const declined = ownDecline(observed);
      if (declined !== undefined) return { kind: 'skip', reason: declined, declined: true };
      const refused = check200(observed, 'a bet of the whole balance');
      return refused?.kind === 'breach'
        ? breach(refused.expected, refused.actual, [
            'bet.debit',
            'win.credit',
            'money.main-unit',
            'money.precision',
            'balance.read',
            'balance.read-only',
            // The wallet may have less money than croupier read before.
            ...(observed.reading?.code === 'insufficient_funds'
              ? (['money.exact', 'money.conservation'] as const)
              : []),
            // If the operator rounds the amount of the bet up, this amount is more than the balance.
            ...(observed.reading?.code === 'insufficient_funds' && (observed.amount?.decimals() ?? 0) > 0
              ? (['bet.decimal-amount'] as const)
              : []),
          ])
        : refused;
    },
    hypotheses: (observed) => notTaken(observed, 'the bet of the whole balance was not taken'),
  },

  'bet.many-in-round': {
    effect: 'each accepted bet of a round is taken',
    applies: isSecondInRound,
    reply(observed) {
      const refused = check200(observed, 'a second bet of a round');
      return refused?.kind === 'breach' && observed.answer === 'declined'
        ? {
            kind: 'warn',
            expected: refused.expected,
            actual: refused.actual,
            why: 'an operator may decline a bet, and the contract requires only that accepted bets are taken',
          }
        : refused;
    },
    hypotheses: (observed) => [
      ...notTaken(observed, 'a further bet of the round was answered 200, but took no money'),
      ...replaced(observed, 'a further bet of the round gave back an earlier bet'),
    ],
  },

  'bet.zero': {
    observed: true,
    applies: (planned) => isNewBet(planned) && isZeroAmount(planned.step) && isPlainApartFromExpect(planned),
  },
};

function isPlainApartFromExpect(planned: PlannedCall): boolean {
  return planned.step.expect.outcome === 'either' ? planned.regular && planned.group === null : isPlain(planned);
}
