import { expect, it } from 'vitest';
import { addUp, currencyAbove, highestSums, joinSums, sumsText } from '../../src/journal/money-sums.ts';

it('sums are added exactly, by currency and without their signs', () => {
  const sums = addUp([
    { amount: '-0.1', currency: 'USD' },
    { amount: '0.2', currency: 'USD' },
    { amount: '9007199254740993', currency: 'JPY' },
    { amount: '3', currency: null },
  ]);
  expect(sums).toEqual({ USD: '0.30', JPY: '9007199254740993', '': '3' });
  expect(joinSums([sums, { USD: '1' }])).toEqual({ USD: '1.30', JPY: '9007199254740993', '': '3' });
  expect(sumsText(sums)).toBe('0.30 USD and 9007199254740993 JPY and 3');
});

it('sums that differ from run to run, and texts that are no amounts, are left out', () => {
  expect(addUp([{ amount: '3', currency: 'USD', varies: true }])).toEqual({});
  expect(addUp([{ amount: '1e9', currency: 'USD' }])).toEqual({});
});

it('the highest sum of each currency is kept, and only a sum with a limit can be above it', () => {
  const limits = highestSums([{ USD: '2', JPY: '300' }, { USD: '10' }]);
  expect(limits).toEqual({ USD: '10', JPY: '300' });
  expect(currencyAbove({ USD: '10', JPY: '300', EUR: '99' }, limits)).toBeUndefined();
  expect(currencyAbove({ USD: '10.01' }, limits)).toBe('USD');
});
