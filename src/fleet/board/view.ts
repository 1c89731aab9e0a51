import type { RuleTrend } from '../../history/rule-trend.ts';
import type { RunVerdict } from '../../history/tables.ts';
import type { Verdict } from '../../journal/finding.ts';
import type { Late } from '../status.ts';

/** Number of days that the trend of an operator shows. Today is the last one. */
export const TREND_DAYS = 30;

/** The number of rules of one group by their verdict in the latest run. */
export interface GroupCounts {
  readonly passed: number;
  readonly failed: number;
  readonly warned: number;
  readonly undecided: number;
  /** Rules of the contract's version that the run did not judge. */
  readonly notJudged: number;
}

/** The result of one day in a trend: `c` conforming, `n` not conforming, `u` undecided, `-` no run. */
export type TrendMark = 'c' | 'n' | 'u' | '-';

/** The first page of the board: every operator as one row. All times are in UTC (ISO 8601). */
export interface BoardView {
  /** Differs after anything on the page has changed. */
  readonly version: string;
  /** The current time of the server. The version does not depend on it. */
  readonly now: string;
  /** The last day of the trend, as `2026-11-26`. */
  readonly lastDay: string;
  /** The groups of rules, in the order of the columns. */
  readonly groups: readonly string[];
  readonly operators: readonly BoardRow[];
  /** False while the board still reads journals and the flakiness. The rows then have nulls that say so. */
  readonly isComplete: boolean;
}

/** One operator on the first page. */
export interface BoardRow {
  readonly name: string;
  readonly extCID: string;
  /** The latest run; null if no run has judged the operator. */
  readonly run: {
    readonly number: number;
    readonly startedAt: string;
    readonly verdict: RunVerdict;
    readonly build: string | null;
  } | null;
  /** One entry for each group of the board; null if the run judged no rule of the group. Empty without a run. */
  readonly groups: readonly (GroupCounts | null)[];
  /** One mark for each of the last {@link TREND_DAYS} days, the latest last. */
  readonly trend: string;
  /** Null while it is not known yet. */
  readonly flaky: {
    /** Number of rules that are flaky or unclear. */
    readonly rules: number;
    /** The highest flakiness of a rule, from 0 to 1; null if no runs can be compared. */
    readonly worst: number | null;
  } | null;
  /** The latest load test of the last {@link TREND_DAYS} days; null if there is none. */
  readonly load: { readonly number: number; readonly startedAt: string; readonly verdict: RunVerdict } | null;
  /** Null if the operator is not late, or if this is not known yet. */
  readonly late: Late | null;
  /** The start of the run in progress; null if there is none, or if this is not known yet. */
  readonly runningSince: string | null;
  /** Number of calls and balances that runs of this operator owe; null while it is not known yet. */
  readonly owed: number | null;
}

/** Everything about one operator. */
export interface OperatorDetail {
  readonly name: string;
  readonly extCID: string;
  readonly latest: {
    readonly number: number;
    readonly startedAt: string;
    readonly verdict: RunVerdict;
    readonly firstLine: string;
    readonly build: string | null;
    readonly croupier: string;
    readonly contract: string;
    /** The base URL of the operator. */
    readonly operator: string;
    readonly hasReport: boolean;
  } | null;
  readonly lastSuccess: string | null;
  /** The debts of runs. The command settles them; null if only a worker of the fleet can, because the journal is on its machine. */
  readonly owed: readonly { readonly items: number; readonly command: string | null }[];
  /** The rules that did not pass in the latest run, or are flaky. The most severe come first. */
  readonly rules: readonly RuleView[];
  /** The runs and load tests of the last {@link TREND_DAYS} days, the latest first. */
  readonly runs: readonly RunView[];
}

/** A rule that needs attention. */
export interface RuleView {
  readonly id: string;
  /** The rule as a clause that completes "An operator conforms when …"; null if this version does not know the rule. */
  readonly sentence: string | null;
  readonly money: boolean;
  /** The verdict of the latest run; null if this run did not judge the rule. */
  readonly verdict: Verdict | null;
  readonly reason: string | null;
  readonly state: RuleTrend['state'];
  readonly flakiness: number | null;
  readonly compared: number;
  readonly changed: number;
  /** The first run of the failures that last until now; null if the rule does not fail. */
  readonly since: { readonly number: number; readonly startedAt: string; readonly build: string | null } | null;
  /** The inputs that changed when the failures began. */
  readonly differences: readonly string[];
}

/** A run or a load test in the list of an operator. */
export interface RunView {
  readonly number: number;
  readonly kind: 'run' | 'load';
  readonly startedAt: string;
  readonly verdict: RunVerdict;
  readonly build: string | null;
  /** The end of the run if it was not complete; null if it was complete. */
  readonly endedEarly: string | null;
  readonly hasReport: boolean;
}
