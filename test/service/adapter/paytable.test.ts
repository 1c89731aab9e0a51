import { expect, it } from 'vitest';
import { drawMultiplier, PAYTABLE, prizeOf } from '../../../src/service/adapter/paytable.ts';

it('the paytable returns 96 % of the stakes in the long run', () => {
  const all = PAYTABLE.reduce((sum, { weight }) => sum + weight, 0);
  const back = PAYTABLE.reduce((sum, { weight, multiplier }) => sum + weight * Number(multiplier), 0);
  expect(back / all).toBeCloseTo(0.96, 10);
});

it('each multiplier is drawn with the probability of its weight', () => {
  const table = [
    { multiplier: '0', weight: 1 },
    { multiplier: '3', weight: 3 },
  ];
  const drawn = Array.from({ length: 8 }, (_, index) => drawMultiplier(table, () => index / 8));
  expect(drawn).toEqual(['0', '0', '3', '3', '3', '3', '3', '3']);
  expect(drawMultiplier(PAYTABLE, () => 0)).toBe('0');
  expect(drawMultiplier(PAYTABLE, () => 0.9999999)).toBe('100');
  expect(() => drawMultiplier([], () => 0)).toThrow('a paytable needs at least one prize');
});

it.each([
  ['0.10', '3', 'USD', '0.30'],
  ['0.01', '0.5', 'USD', '0.00'],
  ['0.03', '0.5', 'USD', '0.01'],
  ['3', '0.5', 'JPY', '1'],
  ['0.00000001', '0.5', 'BTC', '0.000000005'],
  ['90071992547409.93', '3', 'USD', '270215977642229.79'],
])(
  'the win of a stake of %s times %s in %s is rounded down to the smallest unit: %s',
  (stake, multiplier, currency, prize) => {
    expect(prizeOf(stake, multiplier, currency)).toBe(prize);
  },
);

it('the win does not exceed the maximum multiplier', () => {
  expect(prizeOf('0.20', '1000', 'USD', '50')).toBe('10.00');
  expect(prizeOf('0.20', '10', 'USD', '50')).toBe('2.00');
});
