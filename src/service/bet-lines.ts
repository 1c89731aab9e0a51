import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';
import { convertUsdRounded } from './exchange-rates.ts';

/** The amount of a free round on this line, and the maximum multiplier. */
export interface BetLine {
  readonly maxBet: Money;
  readonly maxCoeff: Money;
}

/** The bet of line 1, in dollars. */
const SMALLEST = Money.of('0.10');

/** The bet of each line as a multiple of the smallest, and its maximum multiplier, line 1 first. */
const LINES = [
  ['1', '500'],
  ['2', '500'],
  ['5', '200'],
  ['10', '200'],
  ['20', '100'],
  ['50', '100'],
  ['100', '50'],
  ['200', '50'],
  ['500', '20'],
  ['1000', '20'],
] as const;

const lines = new Map<string, readonly BetLine[]>();

/**
 * The bet lines of a currency, line 1 first: the same in all games, of about the same value in all currencies.
 *
 * @throws RangeError for a currency that the service does not support
 */
export function betLinesOf(currency: string): readonly BetLine[] {
  let known = lines.get(currency);
  if (!known) {
    const smallest = convertUsdRounded(SMALLEST, currency);
    known = LINES.map(([times, coefficient]) => ({
      maxBet: smallest.times(Money.of(times)),
      maxCoeff: Money.of(coefficient),
    }));
    lines.set(currency, known);
  }
  return known;
}

/** An amount as text with the decimals of its currency, where their number is fixed. */
export function formatAmount(amount: Money, currency: string): string {
  return amount.format(currencyByCode(currency)?.decimals ?? 0);
}
