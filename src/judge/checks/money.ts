import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { PLAIN_EFFECTS } from '../attribution/candidates.ts';
import { SCALES, sumsInUnit } from '../attribution/units.ts';
import { breach } from '../decision.ts';
import type { ObservedCall } from '../observed-call.ts';
import type { BalanceHypothesis } from '../pending-check.ts';
import { isTakenBet, type PlannedCall, type PlannedCalls } from '../planned-calls.ts';
import { causesInRepeat, decisionOnReply, type GroupChecks, mayBeUnknown } from './check.ts';
import { plannedAmount } from './planned-amount.ts';

const isMover = (planned: PlannedCall): boolean =>
  planned.regular &&
  planned.group === null &&
  planned.step.origin.kind === 'fresh' &&
  planned.step.call !== 'balance' &&
  planned.step.expect.outcome === 'accepted' &&
  planned.step.type !== 'free' &&
  !planned.step.campaign &&
  planned.sameTxID === null;

const hasDecimals = (planned: PlannedCall): boolean => plannedAmount(planned.step).mayHaveDecimals;

/**
 * True for a bet of the whole balance after amounts with decimals. The balance in a reply can hide a rounding error, but this bet
 * reveals the error.
 */
const isLastUnit = (planned: PlannedCall, plannedCalls: PlannedCalls): boolean =>
  plannedAmount(planned.step).isBalance &&
  plannedCalls.calls.some((other) => other.index < planned.index && isMover(other) && hasDecimals(other));

/**
 * True if neither the amount nor the currency of the session has decimals. Such an amount is exact in binary floating point too.
 */
const isWhole = ({ amount, unit }: ObservedCall): boolean => unit.decimals() === 0 && (amount?.decimals() ?? 0) === 0;

/** Rules whose breach can make a balance negative, for example by a bet of more than the balance. */
const OVERDRAWN: readonly RuleId[] = [
  'bet.insufficient-funds',
  'bet.declined-takes-nothing',
  'concurrency.no-overdraft',
  'robustness.bad-amount',
  'refund.unknown-pays-nothing',
  'refund.declined-bet',
  'bet.debit',
  'win.credit',
  'session.isolated',
];

export const moneyChecks: GroupChecks<'money'> = {
  'money.decimal-string': {
    applies: (planned) => planned.step.expect.outcome === 'accepted',
    reply: (observed) => decisionOnReply('money.decimal-string', observed, causesOfForm(observed)),
  },

  'money.main-unit': {
    effect: 'amounts are in the main unit of the currency',
    // If only the sum of a refund is wrong, a wrong unit is not the cause.
    applies: (planned) => isMover(planned) && planned.step.call !== 'refund',
    hypotheses(observed) {
      return observed.answer !== 'accepted' || observed.effect.isZero() ? [] : wrongUnits(observed);
    },
  },

  'money.precision': {
    applies: (planned) => planned.step.expect.outcome === 'accepted',
    reply: (observed) => decisionOnReply('money.precision', observed, ['money.exact']),
  },

  'money.exact': {
    effect: 'amounts add up exactly',
    // Amounts that a double cannot hold are judged under `money.large`, which is a SHOULD.
    applies: (planned, plannedCalls) =>
      isMover(planned) &&
      !plannedCalls.plan.needs.largeAmounts &&
      (hasDecimals(planned) || isLastUnit(planned, plannedCalls)),
    reply(observed) {
      if (observed.answer === 'accepted' && isWhole(observed))
        return { kind: 'skip', reason: 'the amounts of the session have no decimals, so they are exact in any case' };
      if (!isTakenBet(observed.planned) || !observed.isWholeBalance || observed.reading?.code !== 'insufficient_funds')
        return undefined;
      return breach(
        'the whole balance can be bet, down to the smallest unit',
        'the bet had the amount of the balance that was just read, but was answered `insufficient_funds`',
        [
          'balance.read-only',
          'session.isolated',
          'money.main-unit',
          'bet.debit',
          'win.credit',
          'bet.exact-balance',
          // If the operator rounds the amount of the bet up, this amount is more than the balance.
          ...((observed.amount?.decimals() ?? 0) > 0 ? (['bet.decimal-amount'] as const) : []),
        ],
      );
    },
    hypotheses(observed) {
      return observed.answer !== 'accepted' || isWhole(observed) ? [] : inexactSums(observed);
    },
  },

  'money.large': {
    effect: 'amounts above 2^53 times the smallest unit (such as cents) are not rounded',
    applies: (planned, plannedCalls) =>
      plannedCalls.plan.needs.largeAmounts && isMover(planned) && planned.step.call !== 'refund',
    reply(observed) {
      if (observed.answer !== 'declined' && observed.answer !== 'failed') return undefined;
      return { kind: 'skip', reason: 'the operator declines such a large amount' };
    },
    hypotheses(observed) {
      if (observed.answer !== 'accepted' || !observed.amount) return [];
      const rounded = Money.read(toFixed(Number(observed.amount.format()), observed.unit.decimals()));
      if (!rounded) return [];
      const off = rounded.minus(observed.amount);
      return [off, off.negated()]
        .filter((by) => !by.isZero())
        .map((by) => ({
          by,
          meaning: 'the amount was rounded to what a double can hold',
          causes: [
            // The difference may also be a small fee that the operator takes for every call of this kind.
            ...plainRule(observed),
            // If the balance is written as a JSON number, a double has probably rounded it.
            ...(observed.reading?.balance.form === 'number' ? (['money.decimal-string'] as const) : []),
          ],
        }));
    },
  },

  // Each balance read decides this rule, in reads/idle-reads.ts.
  'money.conservation': {
    applies: (planned) => isMover(planned),
  },
};

/** The facts of a call that decide by how much a wallet may be wrong. */
type CallSum = Pick<ObservedCall, 'amount' | 'effect' | 'unit' | 'planned'>;

/**
 * Returns a function that keeps the latest hypotheses of each kind of call, because many calls in a row have the same amount.
 *
 * @param build its result may depend only on the kind of the call, its amount, its effect and the smallest unit
 */
function keepingLatest(
  build: (call: CallSum) => readonly BalanceHypothesis[],
): (call: CallSum) => readonly BalanceHypothesis[] {
  const latest = new Map<CallName, Omit<CallSum, 'planned'> & { readonly hypotheses: readonly BalanceHypothesis[] }>();
  return (sum) => {
    const { amount, effect, unit } = sum;
    const { call } = sum.planned.step;
    const known = latest.get(call);
    if (known?.effect.equals(effect) && known.unit.equals(unit) && isSameAmount(known.amount, amount))
      return known.hypotheses;
    const hypotheses = build(sum);
    latest.set(call, { amount, effect, unit, hypotheses });
    return hypotheses;
  };
}

function isSameAmount(one: Money | undefined, other: Money | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

/** Returns the hypotheses that the wallet reads the amount of a call in a wrong unit. */
const wrongUnits = keepingLatest((sum) =>
  SCALES.flatMap((scale) => sumsInUnit(sum.effect, scale, sum.unit)).map((moved) => ({
    by: moved.minus(sum.effect),
    // The rule about ordinary calls of this kind is a possible cause too. If other calls show that the unit is right, this rule
    // explains the balance better.
    causes: plainRule(sum),
    // The text is needed only for a wrong balance, so a getter builds it when it is needed.
    get meaning() {
      return `the ${sum.planned.step.call} of ${sum.amount} moved ${moved.absolute()}`;
    },
  })),
);

/** Returns the hypotheses that the wallet is wrong by a part of the amount of a call, or by the smallest unit. */
const inexactSums = keepingLatest((sum): readonly BalanceHypothesis[] => {
  const steps = [sum.unit, sum.unit.negated()].map((by) => ({
    by,
    meaning: `the balance is wrong by ${sum.unit}`,
    causes: ['money.conservation', 'balance.read-only', ...plainRule(sum), ...ruleOfDecimals(sum)] as const,
  }));
  return [...steps, ...roundings(sum)];
});

/** Returns the rules whose breach explains why the balance in a reply is not a plain decimal. */
function causesOfForm(observed: ObservedCall): readonly RuleId[] {
  const balance = observed.reading?.balance;
  switch (balance?.form) {
    case 'odd-text':
      // Programs write a very small double with an exponent, such as 7.7e-17. A rounding error can leave such a balance.
      if (/e-\d+$/i.test(balance.written ?? '')) return ['money.exact'];
      return balance.money?.isNegative() ? OVERDRAWN : [];
    case 'negative':
    case 'not-an-amount':
      return mayBeUnknown(observed) ? ['refund.unknown'] : [];
    case 'missing':
      return causesInRepeat(observed);
    case 'plain':
    case 'number':
    case undefined:
      return [];
  }
}

function plainRule({ planned }: Pick<ObservedCall, 'planned'>): readonly RuleId[] {
  const rule = PLAIN_EFFECTS[planned.step.call]?.rule;
  return rule ? [rule] : [];
}

/** If the call is a bet, returns the rule about the decimals of bets. */
function ruleOfDecimals({ planned }: Pick<ObservedCall, 'planned'>): readonly RuleId[] {
  return planned.step.call === 'bet' ? ['bet.decimal-amount'] : [];
}

/** Returns the hypotheses that the operator cut off or rounded decimals of the amount. */
function roundings(sum: CallSum): BalanceHypothesis[] {
  const { amount, effect, planned } = sum;
  if (!amount) return [];
  const hypotheses: BalanceHypothesis[] = [];
  for (let decimals = amount.decimals() - 1; decimals >= 0; decimals -= 1) {
    const down = amount.truncated(decimals);
    for (const rounded of [down, down.plus(Money.unit(decimals))]) {
      const off = rounded.minus(amount);
      const by = effect.isNegative() ? off.negated() : off;
      // An operator that books a wrong part of every amount may book a sum that looks rounded.
      const causes = [...plainRule(sum), ...ruleOfDecimals(sum)];
      hypotheses.push({ by, meaning: `the ${planned.step.call} of ${amount} was booked as ${rounded}`, causes });
    }
  }
  return hypotheses;
}

/**
 * Formats a number like `Number.toFixed`. Returns an empty text for 1e21 and more, because `toFixed` writes such
 * numbers with an exponent.
 */
function toFixed(value: number, decimals: number): string {
  return Math.abs(value) < 1e21 ? value.toFixed(decimals) : '';
}
