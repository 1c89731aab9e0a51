import { describe, expect, it } from 'vitest';
import { readAmount, scaleOf, writeAmount } from '../../src/operator/amount.ts';

describe('amounts', () => {
  it.each([
    ['USD', '0', 0n, '0.00'],
    ['USD', '0.05', 5n, '0.05'],
    ['USD', '12.3', 1230n, '12.30'],
    ['USD', '90071992547409.93', 9007199254740993n, '90071992547409.93'],
    ['JPY', '1000', 1000n, '1000'],
    ['BTC', '0.1', 10n ** 17n, '0.1'],
    ['BTC', '10', 10n ** 19n, '10'],
  ])('in %s: %s is %d and is written %s', (currency, text, units, written) => {
    const scale = scaleOf(currency);
    expect(readAmount(text, scale)).toBe(units);
    expect(writeAmount(units, scale)).toBe(written);
  });

  it.each(['0.001', '1.000', '-1', '1e2', '', '.5', '5.', '00', '1 ', '١'])('in USD cannot be %j', (text) => {
    expect(readAmount(text, scaleOf('USD'))).toBeUndefined();
  });

  it('are written with a sign below zero', () => {
    expect(writeAmount(-5n, scaleOf('USD'))).toBe('-0.05');
  });

  it('have a scale only in currencies of the service', () => {
    expect(() => scaleOf('usd')).toThrow('usd is not a currency');
  });
});
