import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { cut, mayBeRounded, rounded } from '../../src/judge/rounding.ts';

const money = (text: string): Money => (text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text));

it.each([
  ['1.239', '0.01', '1.23', '1.24'],
  ['-1.239', '0.01', '-1.23', '-1.24'],
  ['1.234', '0.01', '1.23', '1.23'],
  ['1.2', '0.01', '1.2', '1.2'],
  ['100.5', '1', '100', '101'],
  ['0.001', '0.01', '0', '0'],
])('%s in steps of %s is cut to %s and rounded to %s', (sum, unit, kept, nearest) => {
  expect([cut(money(sum), Money.of(unit)).toString(), rounded(money(sum), Money.of(unit)).toString()]).toEqual([
    kept,
    nearest,
  ]);
});

it.each([
  ['0.02', '348.80', '0.01', true],
  ['1', '998', '0.01', true],
  ['1', '998.50', '0.01', false],
  ['2', '998', '0.01', false],
  ['1', '998', '1', false],
])(
  'a difference of %s of a balance of %s in steps of %s may be one of rounding: %s',
  (sum, balance, unit, expected) => {
    expect(mayBeRounded(money(sum), Money.of(balance), Money.of(unit))).toBe(expected);
  },
);
