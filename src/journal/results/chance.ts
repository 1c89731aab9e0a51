import { EXPECTATION, type Finding } from '../finding.ts';
import { isAboutRaces, type RulePlace } from '../judged-outcome.ts';
import { isWithoutSums } from '../money-sums.ts';
import { isShownByBalance } from '../moved-alone.ts';

/** Rules about calls whose connection breaks, or that overtake each other. The moment decides whether the wallet makes a mistake. */
const OF_BROKEN_CONNECTIONS: readonly string[] = [
  'refund.before-bet',
  'refund.broken-connection',
  'refund.retried',
  'win.retried',
] satisfies readonly Finding['rule'][];

/** Rules of which a late call breaks one: the balance is wrong at first, and right when it is read again. */
const OF_LATE_CALLS: readonly Finding['rule'][] = ['bet.debit', 'win.credit', 'refund.restore'];

/** If a rule fails in at least this number of scenarios, these failures come from ordinary calls. */
export const MIN_WIDESPREAD = 6;
/**
 * If the failures come from ordinary calls, but fewer than this share of the scenarios fail, then not every such call fails. Chance
 * may decide which of them do.
 */
const MIN_SHARE_OF_ORDINARY = 0.75;

/**
 * Says what chance decides about the failures of a rule:
 *
 * - `nothing`: the next run shows the same failures.
 * - `moment`: the failures need calls that overlap, or a connection that breaks at a certain moment.
 * - `calls`: any call may fail or succeed, so other scenarios may fail in the next run, and with other sums.
 */
export type Chance = 'nothing' | 'moment' | 'calls';

/**
 * Finds out from the failures of one rule what chance decides about them.
 *
 * @param tried the places of the rule with a decision
 */
export function chanceOf(tried: readonly RulePlace[]): Chance {
  const failing = tried.filter(({ failed }) => failed > 0);
  const [first] = failing;
  if (!first) return 'nothing';
  if (dependsOnMoment(first.rule)) return 'moment';
  if (!failing.some(isOfBalance)) return 'nothing';
  const isUneven = failing.length >= MIN_WIDESPREAD && failing.length < tried.length * MIN_SHARE_OF_ORDINARY;
  const isUnrepeated = failing.some((place) => place.isUnrepeated) && !failsRegularly(tried);
  return isUneven || isUnrepeated || hasLateCalls(failing) ? 'calls' : 'nothing';
}

/**
 * True if a rule fails in many scenarios and in most checks, and most of its failures have occurred again. Then the wallet fails in a certain kind of call. A
 * few failures that did not occur again, for example in a race, do not show that chance decides.
 *
 * @param tried the places of the rule with a decision
 */
export function failsRegularly(tried: readonly RulePlace[]): boolean {
  const failing = tried.filter(({ failed }) => failed > 0);
  const checks = tried.reduce((sum, place) => sum + place.checks, 0);
  const failed = failing.reduce((sum, place) => sum + place.failed, 0);
  const unrepeated = failing.filter(({ isUnrepeated }) => isUnrepeated);
  return failing.length >= MIN_WIDESPREAD && failed * 2 > checks && unrepeated.length * 4 <= failing.length;
}

/**
 * True for a rule that can be broken only by calls that overlap, or by a connection that breaks at a certain moment. So chance
 * decides in which scenario the breach occurs, and whether it occurs.
 */
export function dependsOnMoment(rule: string): boolean {
  return isAboutRaces(rule) || isAboutBrokenConnections(rule);
}

export function isAboutBrokenConnections(rule: string): boolean {
  return OF_BROKEN_CONNECTIONS.includes(rule);
}

/** True if only a balance shows the breach. A breach that made no balance wrong is shown by a reply. */
export function isOfBalance({ rule, wrongSums }: Pick<RulePlace, 'rule' | 'wrongSums'>): boolean {
  return rule !== EXPECTATION && !isWithoutSums(wrongSums) && isShownByBalance({ rule, causes: [] });
}

/** True if only a balance shows the breach, also if the wrong sum depends on the balance. */
export function isOfAnyBalance({ rule, wrongSums, hasVaryingSum }: RulePlace): boolean {
  return isOfBalance({ rule, wrongSums }) || (hasVaryingSum && isShownByBalance({ rule, causes: [] }));
}

/** True if the failures show that the wallet carries out calls late. */
export function hasLateCalls(tried: readonly RulePlace[]): boolean {
  return tried.some((place) => place.failed > 0 && isLate(place));
}

/**
 * True if the replies of the next run may have wrong balances because of these failures: they had some, or the wallet carries out calls
 * late. Then chance decides whether the next read shows the balance of the reply.
 */
export function mayReplyWrongly(failing: readonly RulePlace[]): boolean {
  return failing.some(({ showsWrongReply }) => showsWrongReply) || hasLateCalls(failing);
}

/** True if the wallet carries out a call late, so that the time of the next read decides by how much the balance is wrong. */
function isLate({ rule, mayBeStale }: RulePlace): boolean {
  return mayBeStale && OF_LATE_CALLS.includes(rule);
}
