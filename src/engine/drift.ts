import { Money } from '../contract/money.ts';

/**
 * Two small wins whose sum on top of this balance comes out too low in binary floating point.
 *
 * Most sums of doubles are right once they are rounded, so wins taken at random would hide a wallet that reckons with
 * them; these are looked for until the double falls below the decimal.
 *
 * @param unit the smallest step of the currency, below 1
 */
export function driftingWins(balance: Money, unit: Money): readonly [Money, Money] {
  const start = Number(balance.format());
  for (let first = 1; first <= 99; first += 1) {
    for (let second = first; second <= 99; second += 1) {
      const a = unit.times(Money.of(String(first)));
      const b = unit.times(Money.of(String(second)));
      const drifted = start + Number(a.format()) + Number(b.format());
      if (drifted < Number(balance.plus(a).plus(b).format())) return [a, b];
    }
  }
  return [unit, unit.times(Money.of('2'))];
}
