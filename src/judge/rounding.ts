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
