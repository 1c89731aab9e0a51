import { currencyByCode } from '../../contract/currencies.ts';
import { Money } from '../../contract/money.ts';

/** One possible outcome of a round. Its probability is its weight divided by the sum of all weights. */
interface Prize {
  /** The win as a multiple of the stake, a plain decimal. `0` for a round without a win. */
  readonly multiplier: string;
  /** A whole number above 0. */
  readonly weight: number;
}

/** All possible outcomes of a round. */
export type Paytable = readonly Prize[];

/**
 * The default paytable. More than a third of the rounds have a win, and players win back 96 % of all stakes in the long
 * run.
 */
export const PAYTABLE: Paytable = [
  { multiplier: '0', weight: 6393 },
  { multiplier: '0.5', weight: 1000 },
  { multiplier: '1', weight: 900 },
  { multiplier: '2', weight: 1000 },
  { multiplier: '3', weight: 300 },
  { multiplier: '5', weight: 200 },
  { multiplier: '10', weight: 100 },
  { multiplier: '20', weight: 80 },
  { multiplier: '50', weight: 20 },
  { multiplier: '100', weight: 7 },
];

/**
 * Draws an outcome at random.
 *
 * @param random returns a number from 0 (included) to 1 (excluded)
 * @returns the multiplier of the stake, a plain decimal
 */
export function drawMultiplier(paytable: Paytable, random: () => number): string {
  const all = paytable.reduce((sum, { weight }) => sum + weight, 0);
  let left = random() * all;
  for (const { multiplier, weight } of paytable) {
    left -= weight;
    if (left < 0) return multiplier;
  }
  throw new RangeError('a paytable needs at least one prize, with a weight above 0');
}

/**
 * Returns the win of a round: stake times multiplier, rounded down to the currency's smallest unit.
 *
 * @param maxMultiplier the upper limit of the multiplier, a plain decimal
 * @returns a plain decimal in the main unit; `0` for a lost round
 */
export function prizeOf(stake: string, multiplier: string, currency: string, maxMultiplier?: string): string {
  const times = Money.of(multiplier);
  const limit = maxMultiplier === undefined ? times : Money.of(maxMultiplier);
  const exact = Money.of(stake).times(times.compare(limit) > 0 ? limit : times);
  // A lost round is written as in the scenarios.
  if (exact.isZero()) return '0';
  const decimals = currencyByCode(currency)?.decimals ?? null;
  return decimals === null ? exact.format() : cut(exact, decimals);
}

/** Writes an amount with the given number of decimals. Further decimals are cut off, not rounded. */
function cut(amount: Money, decimals: number): string {
  const text = amount.format(decimals);
  const point = text.indexOf('.');
  if (point < 0) return text;
  return text.slice(0, decimals === 0 ? point : point + 1 + decimals);
}
