import { RULES } from '../../contract/catalogue.ts';
import { RULE_GROUPS } from '../../contract/rule.ts';
import { compareVersions } from '../../contract/versions.ts';
import type { RecentRun, RuleVerdict } from '../../history/recent-runs.ts';
import type { RuleTrend } from '../../history/rule-trend.ts';
import { isDueRun, type PastRun } from '../../history/runs.ts';
import type { RunVerdict } from '../../history/tables.ts';
import { type BoardRow, type GroupCounts, TREND_DAYS, type TrendMark } from './view.ts';

const DAY_MS = 86_400_000;

const MARKS: Readonly<Record<RunVerdict, TrendMark>> = {
  conforming: 'c',
  nonconforming: 'n',
  undecided: 'u',
  reconciled: 'c',
  'not-reconciled': 'n',
};

/** Returns the first moment of a trend whose last day contains `now`, in UTC (ISO 8601). */
export function trendBegin(now: Date): string {
  return new Date((dayOf(now.toISOString()) - TREND_DAYS + 1) * DAY_MS).toISOString();
}

/**
 * Returns one mark for each day of the trend. If an operator was judged several times on a day, the latest run counts. An
 * interrupted run counts only if there is no other run.
 *
 * @param runs the recent runs of one operator, the latest first
 */
export function trendOf(runs: readonly RecentRun[], now: Date): string {
  const last = dayOf(now.toISOString());
  const byDay = Map.groupBy(
    runs.filter(({ kind }) => kind === 'run'),
    ({ started_at }) => last - dayOf(started_at),
  );
  return Array.from({ length: TREND_DAYS }, (_, at) => {
    const own = byDay.get(TREND_DAYS - 1 - at) ?? [];
    const counted = own.find(isDueRun) ?? own[0];
    return counted ? MARKS[counted.verdict] : '-';
  }).join('');
}

function dayOf(iso: string): number {
  return Math.floor(Date.parse(iso) / DAY_MS);
}

/** Returns the group of a rule. An expectation of a scenario has the group `expectation`. */
function groupOf(rule: string): string {
  return /^[^. ]+/.exec(rule)?.[0] ?? rule;
}

/** Returns the groups of the catalogue, and after them the other groups of the verdicts, such as expectations. */
export function groupsIn(verdicts: readonly RuleVerdict[]): readonly string[] {
  return [...new Set<string>([...RULE_GROUPS, ...verdicts.map(({ rule }) => groupOf(rule))])];
}

/** Counts the verdicts of one run by group. @returns an entry for each group; null if the run judged no rule of the group */
export function groupCounts(
  verdicts: readonly RuleVerdict[],
  groups: readonly string[],
  { contract }: Pick<PastRun, 'contract'>,
): readonly (GroupCounts | null)[] {
  const byGroup = Map.groupBy(verdicts, ({ rule }) => groupOf(rule));
  return groups.map((group) => {
    const own = byGroup.get(group);
    if (!own) return null;
    const count = (...wanted: readonly string[]): number =>
      own.filter(({ verdict }) => wanted.includes(verdict)).length;
    const failed = count('fail');
    const warned = count('warn');
    const passed = count('pass', 'note');
    return {
      passed,
      failed,
      warned,
      // A newer version of croupier may have written a verdict that this version does not know.
      undecided: own.length - failed - warned - passed,
      notJudged: Math.max(0, catalogueSize(group, contract) - own.length),
    };
  });
}

const VERSION = /^\d+\.\d+\.\d+$/;

/** Returns the number of rules of a group that a version of the contract has. */
function catalogueSize(group: string, contract: string): number {
  const isThere = (since: string): boolean => !VERSION.test(contract) || compareVersions(since, contract) <= 0;
  return RULES.filter((rule) => rule.group === group && isThere(rule.since)).length;
}

/** Sums up how often verdicts depend on chance. @param trends the rules of one operator */
export function flakinessOf(trends: readonly RuleTrend[]): NonNullable<BoardRow['flaky']> {
  const flaky = trends.filter(isFlaky);
  const known = flaky.flatMap(({ flakiness }) => (flakiness === null ? [] : [flakiness]));
  return { rules: flaky.length, worst: known.length === 0 ? null : Math.max(...known) };
}

/** True if the verdict of a rule changed although no known input changed. */
export function isFlaky({ state }: Pick<RuleTrend, 'state'>): boolean {
  return state === 'flaky' || state === 'unclear';
}
