import { Money } from '../../contract/money.ts';

/**
 * Matches a number whose last decimals are a rounding error of floating point, such as 100.30000000000001 or 0.29999999999999998.
 */
const REST = /(?:0{5}[1-9]\d{0,2}|9{6}\d{0,3})$/;
const FEWEST_DECIMALS = 11;
const MOST = Money.of('0.000001');

/** True for a number with the rounding error of binary floating point. */
export function hasFloatRest(written: string): boolean {
  const decimals = written.length - written.indexOf('.') - 1;
  return decimals >= FEWEST_DECIMALS && /^\d+\.\d+$/.test(written) && REST.test(written);
}

/** True if two amounts are equal, or differ only by the rounding error of binary floating point in one of them. */
export function isSameButForRest(a: Money, b: Money): boolean {
  if (a.equals(b)) return true;
  const isFloat = hasFloatRest(a.toString()) || hasFloatRest(b.toString());
  return isFloat && a.minus(b).absolute().compare(MOST) < 0;
}
