import { otherDirection } from '../../journal/baseline.ts';
import { DIRECTIONS, type Direction } from '../../journal/money-sums.ts';
import { dependsOnMoment } from '../../journal/results/chance.ts';
import { countsText, isMuchMoreOften } from '../../journal/results/failure-rate.ts';
import type { FailingPlace, JudgedRule, RunSummary } from './run-summary.ts';

/**
 * True if the failures of a rule occur only now and then: some of them did not occur again when croupier repeated the scenario, and at most
 * half of the checks failed. Then chance decides in which scenarios the rule fails.
 */
export function isByChance({ failing, counts }: Pick<JudgedRule, 'failing' | 'counts'>): boolean {
  return counts !== undefined && counts.failed * 2 <= counts.checks && failing.some(({ unrepeated }) => unrepeated);
}

/**
 * Says that a rule about money fails so much more often that chance does not explain it. Null if it does not, or if this can't be compared:
 * the runs played different scenarios, or the moment of calls decides how often the rule fails.
 */
export function moreOften(id: string, before: RunSummary, now: RunSummary): string | null {
  const [earlier, later] = [ruleIn(before, id), ruleIn(now, id)];
  if (!earlier?.counts || !later?.counts || !later.money || dependsOnMoment(id) || isLate(earlier)) return null;
  const isSamePlan = before.tried.length === now.tried.length && before.tried.every((one) => now.tried.includes(one));
  if (!isSamePlan || !isMuchMoreOften(later.counts, earlier.counts)) return null;
  return `it fails much more often: in ${countsText(later.counts)} checks now, in ${countsText(earlier.counts)} before`;
}

/** The rules about the amounts of single calls. A wrong sum of such a call may be blamed on another one of them. */
const OF_AMOUNTS: readonly string[] = ['bet.debit', 'win.credit', 'refund.restore'];
/** With fewer wrong sums before, it may be chance that all of them have the same direction. */
const MIN_SUMS = 6;
/** In a single scenario, croupier may have blamed the wrong call. */
const MIN_SCENARIOS = 2;

/** A rule that now makes balances wrong in the other direction. */
interface Turned {
  readonly was: Direction;
  readonly is: Direction;
  readonly scenarios: readonly string[];
}

/**
 * Finds out if a rule about the amounts of single calls made balances too low before and makes them too high now, or the other way. Undefined
 * if the earlier run does not show one direction, if the later run shows the other one in only one scenario, or if calls are carried out late.
 */
export function turned(id: string, before: RunSummary, now: RunSummary): Turned | undefined {
  const [earlier, later] = [ruleIn(before, id), ruleIn(now, id)];
  if (!earlier || !later || !OF_AMOUNTS.includes(id) || [earlier, later].some(isLate)) return undefined;
  // If failures occur by chance, their sums may be blamed on another one of these rules.
  const alike = isByChance(earlier) ? OF_AMOUNTS.flatMap((one) => ruleIn(before, one) ?? []) : [earlier];
  const was = DIRECTIONS.find((one) => alike.every((rule) => directionsOf(rule).every((other) => other === one)));
  if (was === undefined || directionsOf(earlier).length < MIN_SUMS) return undefined;
  const is = otherDirection(was);
  const places = later.failing.filter(({ directions = [] }) => directions.includes(is));
  const scenarios = [...new Set(places.map(({ scenario }) => scenario))];
  return scenarios.length < MIN_SCENARIOS ? undefined : { was, is, scenarios };
}

function ruleIn({ judged }: RunSummary, id: string): JudgedRule | undefined {
  return judged.find((rule) => rule.id === id);
}

function directionsOf({ failing }: JudgedRule): readonly Direction[] {
  return failing.flatMap(({ directions = [] }) => directions);
}

/** True if the wallet may carry out calls late. Then the speed of the wallet decides how often the rule fails. */
function isLate({ failing }: JudgedRule): boolean {
  return failing.some(({ mayReplyWrongly, wrongReply }: FailingPlace) => mayReplyWrongly === true && !wrongReply);
}
