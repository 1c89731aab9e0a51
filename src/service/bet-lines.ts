import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';
import { convertUsdRounded } from './exchange-rates.ts';

/**
 * One bet line of a currency: the bet of a free round on this line, in the main unit, and the maximum multiplier of the bet.
 */
export interface BetLine {
  readonly maxBet: Money;
  readonly maxCoeff: Money;
}

/** The bet of line 1 in US dollars. It is converted to each currency. */
const SMALLEST = Money.of('0.10');

/** For each line, the bet as a multiple of the bet of line 1, and the maximum multiplier. Line 1 comes first. */
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

/** The index of the bet line whose bet a game offers first. */
export const USUAL_LINE = 3;

const lines = new Map<string, readonly BetLine[]>();

/**
 * Returns the bet lines of a currency, line 1 first. The bet lines are the same in all games, and their bets have about the
 * same value in all currencies.
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

/**
 * Writes an amount with the number of decimals of its currency. If the currency has no fixed number of decimals, adds no zeros.
 */
export function formatAmount(amount: Money, currency: string): string {
  return amount.format(currencyByCode(currency)?.decimals ?? 0);
}
