import { expect, it } from 'vitest';
import { CURRENCIES } from '../../src/contract/currencies.ts';
import { betLinesOf, formatAmount } from '../../src/service/bet-lines.ts';

it('every currency has bet lines with rising bets above zero, and with no more decimals than the currency', () => {
  for (const { code, decimals } of CURRENCIES) {
    const lines = betLinesOf(code);
    expect(lines).toHaveLength(10);
    for (const [index, { maxBet, maxCoeff }] of lines.entries()) {
      expect(maxBet.isZero(), code).toBe(false);
      expect(maxBet.decimals(), code).toBeLessThanOrEqual(decimals ?? 9);
      expect(maxCoeff.isZero()).toBe(false);
      const before = lines[index - 1];
      if (before) expect(maxBet.compare(before.maxBet), `${code} line ${index + 1}`).toBe(1);
    }
  }
});

it('the bet lines of all currencies are round amounts of about the same value', () => {
  const bets = (code: string) => betLinesOf(code).map(({ maxBet }) => formatAmount(maxBet, code));
  expect(bets('USD')).toEqual(['0.10', '0.20', '0.50', '1.00', '2.00', '5.00', '10.00', '20.00', '50.00', '100.00']);
  expect(bets('JPY').slice(0, 4)).toEqual(['10', '20', '50', '100']);
  expect(bets('BTC').slice(0, 2)).toEqual(['0.000001', '0.000002']);
});
