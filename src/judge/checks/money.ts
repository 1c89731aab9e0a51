import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { breach, type Decision, type GroupChecks, isMaybeUnknown, ofPoorRepeat, PASS, type Seen } from '../check.ts';
import { bySum, mentions } from '../expected-sum.ts';
import { inUnit, SCALES } from '../main-unit.ts';
import type { Offset } from '../obligation.ts';
import { isTakenBet, type Part, type Story } from '../story.ts';
import { PLAIN_EFFECTS } from '../suspects.ts';

const isMover = (part: Part): boolean =>
  part.regular &&
  part.group === null &&
  part.step.origin.kind === 'fresh' &&
  part.step.call !== 'balance' &&
  part.step.expect.outcome === 'accepted' &&
  part.step.type !== 'free' &&
  !part.step.campaign &&
  part.namesake === null;

const hasDecimals = (part: Part): boolean => {
  const amount = part.step.fields.find(([name]) => name === 'amount')?.[1];
  if (
    mentions(part.step, 'amount', 'unit') ||
    mentions(part.step, 'amount', 'drift.first') ||
    mentions(part.step, 'amount', 'drift.second')
  )
    return true;
  const written =
    amount?.kind === 'literal'
      ? amount.value
      : amount?.kind === 'expression' && amount.expression.kind === 'value'
        ? amount.expression.value
        : undefined;
  return typeof written === 'string' && (Money.read(written)?.decimals() ?? 0) > 0;
};

/** A bet of all that is left after amounts with decimals: rounding may hide in what is shown, but not from it. */
const isLastUnit = (part: Part, story: Story): boolean =>
  bySum(part.step, 'amount') === 'balance' &&
  story.parts.some((other) => other.index < part.index && isMover(other) && hasDecimals(other));

/** A wallet below zero is the doing of whatever took more than was there. */
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
    applies: (part) => part.step.expect.outcome === 'accepted',
    reply(seen) {
      if (seen.answer !== 'accepted' || !seen.reading) return undefined;
      const { form, written } = seen.reading.balance;
      const expected = '`balance` is a JSON string that holds a plain decimal';
      switch (form) {
        case 'plain':
          return PASS;
        case 'number':
          return breach(expected, `it is the number ${written}`);
        case 'odd-text':
          return breach(
            expected,
            `it is ${JSON.stringify(written)}`,
            seen.reading.balance.money?.isNegative() ? OVERDRAWN : [],
          );
        case 'not-an-amount':
          return breach(expected, `it is ${written}`, isMaybeUnknown(seen) ? ['refund.unknown'] : []);
        case 'missing':
          // That a read has no balance is told under `balance.read`.
          return seen.reading.object &&
            seen.part.step.call !== 'balance' &&
            seen.reading.problem === undefined &&
            !seen.part.step.refund
            ? breach(expected, 'there is none', ofPoorRepeat(seen))
            : undefined;
      }
    },
  },

  'money.main-unit': {
    effect: 'amounts are in the main unit of the currency',
    // A refund that gives back another sum than was taken is none of the unit's.
    applies: (part) => isMover(part) && part.step.call !== 'refund',
    offsets(seen) {
      if (seen.answer !== 'accepted' || seen.effect.isZero()) return [];
      // In words only when asked: it is needed where a wallet is wrong, and this is reckoned for each call.
      return SCALES.flatMap((scale) => {
        const moved = inUnit(seen.effect, scale, seen.unit);
        return moved.isZero()
          ? []
          : [
              {
                by: moved.minus(seen.effect),
                // The number may be that of a mistake with such calls, where others of them turn out to be right.
                causes: plainRule(seen),
                get meaning() {
                  return `the ${seen.part.step.call} of ${seen.amount} moved ${moved.absolute()}`;
                },
              },
            ];
      });
    },
  },

  'money.precision': {
    applies: (part) => part.step.expect.outcome === 'accepted',
    reply(seen) {
      if (seen.answer !== 'accepted' || !seen.reading || !seen.currency || seen.currency.decimals === null)
        return undefined;
      return precision(seen, seen.currency.decimals);
    },
  },

  'money.exact': {
    effect: 'amounts add up exactly',
    // What is beyond the reach of a double is told under `money.large`, which is a SHOULD.
    applies: (part, story) =>
      isMover(part) && !story.plan.needs.largeAmounts && (hasDecimals(part) || isLastUnit(part, story)),
    reply(seen) {
      if (!isTakenBet(seen.part) || !seen.wholeBalance || seen.reading?.code !== 'insufficient_funds') return undefined;
      return breach(
        'the balance can be bet down to its last smallest unit',
        'the bet of the whole balance, as it was read, was answered `insufficient_funds`',
        ['balance.read-only', 'session.isolated', 'money.main-unit', 'bet.debit', 'win.credit', 'bet.exact-balance'],
      );
    },
    offsets(seen): readonly Offset[] {
      if (seen.answer !== 'accepted') return [];
      const steps = [seen.unit, seen.unit.negated()].map((by) => ({
        by,
        meaning: `the balance is off by ${seen.unit}`,
        causes: ['money.conservation', 'balance.read-only'] as const,
      }));
      return [...steps, ...roundings(seen)];
    },
  },

  'money.large': {
    effect: 'amounts beyond 2^53 of the smallest unit stay exact',
    applies: (part, story) => story.plan.needs.largeAmounts && isMover(part) && part.step.call !== 'refund',
    reply(seen) {
      if (seen.answer !== 'declined' && seen.answer !== 'failed') return undefined;
      return { kind: 'skip', reason: 'the operator declines an amount that large' };
    },
    offsets(seen) {
      if (seen.answer !== 'accepted' || !seen.amount) return [];
      const rounded = Money.read(toFixed(Number(seen.amount.format()), seen.unit.decimals()));
      if (!rounded) return [];
      const off = rounded.minus(seen.amount);
      return [off, off.negated()]
        .filter((by) => !by.isZero())
        .map((by) => ({
          by,
          meaning: 'the amount was rounded to what a double can hold',
          // A JSON number is such a double.
          causes: seen.reading?.balance.form === 'number' ? (['money.decimal-string'] as const) : [],
        }));
    },
  },

  // Decided by each quiet read, see judge.ts.
  'money.conservation': {
    applies: (part) => isMover(part),
  },
};

function plainRule({ part }: Seen): readonly RuleId[] {
  const rule = PLAIN_EFFECTS[part.step.call]?.rule;
  return rule ? [rule] : [];
}

/** The amount cut or rounded to fewer decimals than it has. */
function roundings({ amount, effect, part }: Seen): Offset[] {
  if (!amount) return [];
  const offsets: Offset[] = [];
  for (let decimals = amount.decimals() - 1; decimals >= 0; decimals -= 1) {
    const [whole = '0', fraction = ''] = amount.format().split('.');
    const down = Money.of(decimals === 0 ? whole : `${whole}.${fraction.slice(0, decimals)}`);
    for (const rounded of [down, down.plus(Money.unit(decimals))]) {
      const off = rounded.minus(amount);
      const by = effect.isNegative() ? off.negated() : off;
      offsets.push({ by, meaning: `the ${part.step.call} of ${amount} was booked as ${rounded}` });
    }
  }
  return offsets;
}

/** As `Number.toFixed`, which falls back to exponents from 1e21 on. */
function toFixed(value: number, decimals: number): string {
  return Math.abs(value) < 1e21 ? value.toFixed(decimals) : '';
}

function precision(seen: Seen, most: number): Decision {
  const balance = seen.reading?.balance;
  if (!balance?.money || balance.decimals <= most) return PASS;
  const code = seen.currency?.code;
  const expected =
    most === 0 ? `a balance in ${code} has no decimals` : `a balance in ${code} has at most ${most} decimals`;
  const actual = `it is ${JSON.stringify(balance.written)}`;
  // Zeros that say nothing, and currencies of which the contract says nothing, only warn.
  return balance.money.decimals() <= most || (seen.currency?.basis === 'position' && most === 0)
    ? { kind: 'warn', expected, actual }
    : breach(expected, actual, ['money.exact']);
}
