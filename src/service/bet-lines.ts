import { currencyByCode } from '../contract/currencies.ts';
import { Money } from '../contract/money.ts';
import { roughly } from './exchange-rates.ts';

/** What a free round on this line bets, and by how much that can be multiplied at most. */
export interface BetLine {
  readonly maxBet: Money;
  readonly maxCoeff: Money;
}

/** What line 1 bets, in dollars. */
const SMALLEST = Money.of('0.10');

/** How many times the smallest bet each line is, line 1 first. The more is bet, the less it is multiplied by. */
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
 * The bet lines of a currency, line 1 first: the same in all games, about the same worth in all currencies.
 *
 * @throws RangeError for a currency that the service does not support
 */
export function betLinesOf(currency: string): readonly BetLine[] {
  let known = lines.get(currency);
  if (!known) {
    const smallest = roughly(SMALLEST, currency);
    known = LINES.map(([times, coefficient]) => ({
      maxBet: smallest.times(Money.of(times)),
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
