import { Money } from '../contract/money.ts';

/** The sum without what is less than a unit. */
export function cut(sum: Money, unit: Money): Money {
  if (sum.decimals() <= unit.decimals()) return sum;
  const [whole = '0', fraction = ''] = sum.absolute().format().split('.');
  const kept = Money.of(unit.decimals() === 0 ? whole : `${whole}.${fraction.slice(0, unit.decimals())}`);
  return sum.isNegative() ? kept.negated() : kept;
}

/** The sum to the nearest unit. */
export function rounded(sum: Money, unit: Money): Money {
  const half = unit.times(Money.of('0.5'));
  return cut(sum.isNegative() ? sum.minus(half) : sum.plus(half), unit);
}

/**
 * True where a sum may be what rounding has put into a balance or taken from it: a fraction of the main unit, or all of
 * one where the balance is shown without fractions.
 *
 * @param unit the smallest step of the currency
 */
export function mayBeRounded(sum: Money, balance: Money, unit: Money): boolean {
  const main = Money.of('1');
  if (unit.compare(main) >= 0) return false;
  const compared = sum.absolute().compare(main);
  return compared < 0 || (compared === 0 && balance.decimals() === 0);
}
