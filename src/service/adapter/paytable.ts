import { currencyByCode } from '../../contract/currencies.ts';
import { Money } from '../../contract/money.ts';

/** One outcome of a round: the multiplier of the stake. Its probability is its weight divided by the sum of all weights. */
interface Prize {
  /** A plain decimal; `0` for a round without a win. */
  readonly multiplier: string;
  /** A whole number above 0. */
  readonly weight: number;
}

/** All outcomes of a round. */
export type Paytable = readonly Prize[];

/** More than a third of the rounds have a win, and 96 % of all stakes are won back in the long run. */
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
 * Draws the multiplier of a stake.
 *
 * @param random from 0 up to 1
 * @returns a plain decimal
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
 * The win of a stake: the exact product, rounded down to the currency's smallest unit.
 *
 * @param maxMultiplier a plain decimal
 * @returns a plain decimal in the main unit
 */
export function prizeOf(stake: string, multiplier: string, currency: string, maxMultiplier?: string): string {
  const times = Money.of(multiplier);
  const limit = maxMultiplier === undefined ? times : Money.of(maxMultiplier);
  const exact = Money.of(stake).times(times.compare(limit) > 0 ? limit : times);
  const decimals = currencyByCode(currency)?.decimals ?? null;
  return decimals === null ? exact.format() : cut(exact, decimals);
}

/** A plain decimal, cut after this number of decimals. */
function cut(amount: Money, decimals: number): string {
  const text = amount.format(decimals);
  const point = text.indexOf('.');
  if (point < 0) return text;
  return text.slice(0, decimals === 0 ? point : point + 1 + decimals);
}
