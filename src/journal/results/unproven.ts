import { plural } from '../../contract/plural.ts';
import { LATE_ONCE, NOT_REPEATED, UNREPEATED } from '../moved-alone.ts';
import type { RuleResult } from '../rule-result.ts';

/**
 * The beginning of a finding that is undecided because only one attempt showed the failure, and no lock kept other commands from
 * moving the balance.
 */
export const UNPROVEN =
  'another attempt did not show the same failures, so somebody else may have moved the balance (croupier holds no lock for the players)';

/**
 * Says how many of these undecided rules are undecided because somebody else may have moved a balance, although nothing shows it.
 * Returns null if there are none.
 */
export function unprovenSentence(undecided: readonly RuleResult[]): string | null {
  const unproven = undecided.filter(({ findings }) =>
    findings.some(({ verdict, actual }) => verdict === 'inconclusive' && actual.startsWith(UNPROVEN)),
  ).length;
  if (unproven > 0)
    return `the run had no locks (--no-lock), and another command may have moved the balances of its players, so ${plural(unproven, 'rule')} could not be decided. Let only one command use the players, and run again`;
  const unrepeated = undecided.filter(({ reason }) => reason === UNREPEATED).length;
  const open = undecided.filter(({ reason }) => reason === NOT_REPEATED).length;
  if (unrepeated === 0 && open > 0)
    return `${plural(open, 'rule')} failed, but croupier could not repeat the scenario to this point. Either somebody else moved a balance, or the operator moves wrong amounts. Make sure that only this run uses the players and that they have enough money, and run again`;
  if (unrepeated === 0) return undecided.some(({ reason }) => reason === LATE_ONCE) ? LATE_SENTENCE : null;
  return `${plural(unrepeated, 'rule')} failed, but not again when croupier repeated the scenario. Either somebody else moved a balance, or the operator fails only now and then. Make sure that only this run uses the players, and run again`;
}

const LATE_SENTENCE = `${LATE_ONCE}. Run again, and make sure that the operator has started`;
