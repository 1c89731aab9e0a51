import { currencyByCode } from '../../contract/currencies.ts';
import { Money } from '../../contract/money.ts';

/** What a round may bring: by how much the stake is multiplied, and how often that comes among all weights together. */
interface Prize {
  /** A plain decimal; `0` when nothing is won. */
  readonly multiplier: string;
  /** A whole number above 0. */
  readonly weight: number;
}

/** Everything that a round may bring. */
export type Paytable = readonly Prize[];

/** More than a third of the rounds win something, and 96 % of all stakes are won back in the long run. */
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
 * Draws by how much a stake is multiplied.
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
 * What a stake wins: exactly as many times the stake, without what is less than the currency's smallest unit.
 *
 * @param most a plain decimal that the stake is multiplied by at most
 * @returns a plain decimal in the main unit
 */
export function prizeOf(stake: string, multiplier: string, currency: string, most?: string): string {
  const times = Money.of(multiplier);
  const limit = most === undefined ? times : Money.of(most);
  const exact = Money.of(stake).times(times.compare(limit) > 0 ? limit : times);
  const decimals = currencyByCode(currency)?.decimals ?? null;
  return decimals === null ? exact.format() : cut(exact, decimals);
}

/** A plain decimal without the digits after so many decimals. */
function cut(amount: Money, decimals: number): string {
  const text = amount.format(decimals);
  const point = text.indexOf('.');
  if (point < 0) return text;
  return text.slice(0, decimals === 0 ? point : point + 1 + decimals);
}
