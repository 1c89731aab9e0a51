import { type MoneySums, times } from '../money-sums.ts';
import { dependsOnMoment } from './chance.ts';

/** In a scenario whose calls depend on the moment, the number of wrong calls differs from run to run, by up to this factor. */
const FACTOR_OF_MOMENT = 2;

/**
 * Returns the highest sums by which the same failure may make balances wrong in a later run of the same scenario. croupier sends
 * the same calls each time, so the sums are the same. Only if calls overlap, or if connections break, chance decides how many calls
 * of the scenario are wrong.
 *
 * @param sums the sums of the earlier run
 * @param rules the rules that the scenario tests
 */
export function allowedAgain(sums: MoneySums, rules: readonly string[]): MoneySums {
  return rules.some(dependsOnMoment) ? times(FACTOR_OF_MOMENT, sums) : sums;
}
