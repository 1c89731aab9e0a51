import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';
import { roughly } from './exchange-rates.ts';

/** What a free round on this line bets, and by how much that can be multiplied at most. */
export interface BetLine {
  readonly maxBet: Money;
  readonly maxCoeff: Money;
}

/** In dollars, line 1 first. The more is bet, the less it is multiplied by. */
const LINES_IN_USD = [
  ['0.10', '500'],
  ['0.20', '500'],
  ['0.50', '200'],
  ['1', '200'],
  ['2', '100'],
  ['5', '100'],
  ['10', '50'],
  ['20', '50'],
  ['50', '20'],
  ['100', '20'],
] as const;

const lines = new Map<string, readonly BetLine[]>();

/**
 * The bet lines of a currency, line 1 first: the same in all games, about the same worth in all currencies.
 *
 * @throws RangeError for a currency that the service does not support
 */
export function betLinesOf(currency: string): readonly BetLine[] {
  let known = lines.get(currency);
  if (!known) {
    known = LINES_IN_USD.map(([dollars, coefficient]) => ({
      maxBet: roughly(Money.of(dollars), currency),
      maxCoeff: Money.of(coefficient),
    }));
    lines.set(currency, known);
  }
  return known;
}

/** An amount as it is written in a currency: with as many decimals as it carries, if that is fixed. */
export function written(amount: Money, currency: string): string {
  return amount.format(currencyByCode(currency)?.decimals ?? 0);
}
