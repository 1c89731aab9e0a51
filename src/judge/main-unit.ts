import type { Money } from '../contract/money.ts';
import { cut } from './rounding.ts';

/** Powers of ten by which a wallet is off that counts in another unit. */
export const SCALES = [1, 2, 3, 8, 18, -1, -2, -3, -8];

/** Cents are the unit that is taken for the main one most often. */
const CENTS = -2;

/** True where a wallet that takes amounts for cents would move nothing at all. */
export function isNothingInCents(sum: Money, unit: Money): boolean {
  return inUnit(sum, CENTS, unit).isZero();
}

/** What a sum comes to in another unit; what is less than a smallest unit of the currency is lost then. */
export function inUnit(sum: Money, scale: number, unit: Money): Money {
  return cut(sum.shift(scale), unit);
}
