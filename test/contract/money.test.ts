import { describe, expect, it } from 'vitest';
import { CURRENCIES } from '../../src/contract/currencies.ts';
import { Money } from '../../src/contract/money.ts';
import * as fc from '../properties.ts';

describe('reading an amount', () => {
  it.each([
    ['0', '0'],
    ['0.0', '0'],
    ['0.90', '0.90'],
    ['10', '10'],
    ['10.10', '10.10'],
    ['100', '100'],
    ['90071992547409.93', '90071992547409.93'],
    ['0.000000000000000001', '0.000000000000000001'],
    ['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
  ])('accepts %s as the amount %s', (text, shown) => {
    expect(Money.read(text)?.toString()).toBe(shown);
    expect(Money.of(text).equals(Money.of(shown))).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['a minus', '-1'],
    ['a minus zero', '-0'],
    ['a plus', '+1'],
    ['an exponent', '1e3'],
    ['an exponent with a sign', '1E-3'],
    ['hexadecimal', '0x10'],
    ['binary', '0b1'],
    ['a leading zero', '01'],
    ['two zeros', '00'],
    ['a leading zero before the point', '00.5'],
    ['no digit before the point', '.5'],
    ['no digit after the point', '5.'],
    ['only a point', '.'],
    ['two points', '1.0.0'],
    ['a decimal comma', '1,5'],
    ['a group separator', '1,000.00'],
    ['a group space', '1 000'],
    ['a group underscore', '1_000'],
    ['a currency mark', '€1'],
    ['a currency code', '1 EUR'],
    ['white space before', ' 1'],
    ['white space after', '1 '],
    ['a line feed after', '1\n'],
    ['a NUL', '1\0'],
    ['full-width digits', '１'],
    ['Arabic digits', '١'],
    ['NaN', 'NaN'],
    ['Infinity', 'Infinity'],
    ['a BigInt literal', '1n'],
    ['null', 'null'],
    ['a fraction', '1/2'],
    ['per cent', '1%'],
  ])('refuses a text with this problem: %s', (_, text) => {
    expect(Money.read(text)).toBeUndefined();
    expect(() => Money.of(text)).toThrow(new RangeError(`not a plain decimal amount: ${JSON.stringify(text)}`));
  });
});

/** Writes a number of units of 10^-scale as text, by splitting the digits of a whole number. */
function text(value: bigint, scale: number): string {
  const digits = value.toString().padStart(scale + 1, '0');
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function signed(value: bigint, scale: number): Money {
  const money = Money.of(text(value < 0n ? -value : value, scale));
  return value < 0n ? money.negated() : money;
}

describe('computing with money gives the same as whole numbers of the smallest unit', () => {
  // Amounts up to 2^53 - 1 units are stored as JavaScript numbers, and larger ones as BigInt. So small amounts and amounts near
  // this border are tried as often as large ones.
  const units = fc.oneof(
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    fc.bigInt({ min: 0n, max: 10n ** 6n }),
    fc.bigInt({ min: 2n ** 53n - 20n, max: 2n ** 53n + 20n }),
    fc.bigInt({ min: 2n ** 26n, max: 2n ** 28n }),
  );
  const places = fc.integer({ min: 0, max: 18 });

  it('in sums, differences, products and order', () => {
    fc.assert(
      fc.property(units, units, places, (a, b, scale) => {
        const [left, right] = [Money.of(text(a, scale)), Money.of(text(b, scale))];
        expect(left.plus(right).equals(signed(a + b, scale))).toBe(true);
        expect(left.minus(right).equals(signed(a - b, scale))).toBe(true);
        expect(left.times(right).equals(signed(a * b, scale * 2))).toBe(true);
        expect(left.compare(right)).toBe(a < b ? -1 : a > b ? 1 : 0);
        expect(left.minus(right).isNegative()).toBe(a < b);
        expect(left.minus(right).isZero()).toBe(a === b);
        expect(
          left
            .minus(right)
            .absolute()
            .equals(signed(a > b ? a - b : b - a, scale)),
        ).toBe(true);
      }),
    );
  });

  it('between amounts of different precision', () => {
    fc.assert(
      fc.property(units, places, units, places, (a, scaleA, b, scaleB) => {
        const sum = Money.of(text(a, scaleA)).plus(Money.of(text(b, scaleB)));
        const common = a * 10n ** BigInt(scaleB) + b * 10n ** BigInt(scaleA);
        expect(sum.format(scaleA + scaleB)).toBe(text(common, scaleA + scaleB));
        expect(sum.minus(Money.of(text(b, scaleB))).equals(Money.of(text(a, scaleA)))).toBe(true);
      }),
    );
  });

  it('in writing and shifting', () => {
    fc.assert(
      fc.property(units, places, (a, scale) => {
        const money = Money.of(text(a, scale));
        expect(money.format(scale)).toBe(text(a, scale));
        expect(Money.of(money.toString()).equals(money)).toBe(true);
        expect(money.shift(scale).toString()).toBe(a.toString());
        expect(Money.of(a.toString()).shift(-scale).equals(money)).toBe(true);
        expect(money.decimals()).toBe((text(a, scale).split('.')[1] ?? '').replace(/0+$/, '').length);
        expect(money.negated().format(scale)).toBe(a === 0n ? text(a, scale) : `-${text(a, scale)}`);
      }),
    );
  });
});

describe('every currency', () => {
  it.each(CURRENCIES.map((one) => [one.code, one.decimals ?? 18] as const))(
    'has an exact smallest unit, also above 2^53 of them: %s',
    (_, decimals) => {
      const unit = Money.unit(decimals);
      expect(unit.format(decimals)).toBe(decimals === 0 ? '1' : `0.${'1'.padStart(decimals, '0')}`);
      expect(unit.decimals()).toBe(decimals);
      // One unit past 2^53 of them, where a double can no longer count.
      const edge = Money.of(String(2n ** 53n)).shift(-decimals);
      const beyond = edge.plus(unit);
      expect(beyond.shift(decimals).toString()).toBe('9007199254740993');
      expect(beyond.minus(edge).equals(unit)).toBe(true);
      expect(beyond.minus(unit).minus(edge).isZero()).toBe(true);
    },
  );

  it('without decimals is written without a point, and a fraction is kept', () => {
    expect(Money.of('1000').format(0)).toBe('1000');
    expect(Money.of('1000.00').decimals()).toBe(0);
    expect(Money.of('1000.5').decimals()).toBe(1);
    expect(Money.of('1000.5').format(0)).toBe('1000.5');
  });
});

describe('an amount that binary fractions cannot represent', () => {
  it.each([
    ['0.1', '0.2', '0.30'],
    ['0.7', '0.1', '0.80'],
    ['1.1', '2.2', '3.30'],
    ['0.57', '0.01', '0.58'],
    ['90071992547409.92', '0.01', '90071992547409.93'],
  ])('adds up exactly: %s and %s are %s', (a, b, sum) => {
    expect(Money.of(a).plus(Money.of(b)).toString()).toBe(sum);
  });

  it.each(['0.29', '0.57', '1.15', '4.35', '19.99'])('is a whole number of hundredths: %s', (text) => {
    expect(Money.of(text).shift(2).decimals()).toBe(0);
    expect(Money.of(text).shift(2).toString()).toBe(text.replace('.', '').replace(/^0+/, ''));
  });
});

describe('truncating an amount', () => {
  it.each([
    ['1.259', 2, '1.25'],
    ['1.259', 0, '1'],
    ['0.009', 2, '0'],
    ['1.2', 2, '1.20'],
    ['90071992547409.939', 2, '90071992547409.93'],
  ])('cuts %s to %i decimals as %s, and a negative amount toward zero too', (text, decimals, kept) => {
    expect(Money.of(text).truncated(decimals).toString()).toBe(kept);
    expect(Money.of(text).negated().truncated(decimals).equals(Money.of(kept).negated())).toBe(true);
  });
});
