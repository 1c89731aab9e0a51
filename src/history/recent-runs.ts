import type { History } from './history.ts';
import type { RuleResultRow, RunRow } from './tables.ts';

/**
 * A run in a summary of many runs. It has only the columns that such a summary needs, because reading all columns is slow.
 */
export type RecentRun = Pick<
  RunRow,
  'number' | 'kind' | 'started_at' | 'ext_cid' | 'operator' | 'verdict' | 'exit_code' | 'build' | 'ended'
>;

/** Returns all runs and load tests that started at `since` or later, the latest first. @param since in UTC (ISO 8601) */
export async function runsSince(history: History, since: string): Promise<readonly RecentRun[]> {
  return history
    .selectFrom('run')
    .select(['number', 'kind', 'started_at', 'ext_cid', 'operator', 'verdict', 'exit_code', 'build', 'ended'])
    .where('started_at', '>=', since)
    .orderBy('started_at', 'desc')
    .orderBy('number', 'desc')
    .execute();
}

/** Returns those of the run ids that the history has. */
export async function knownRunIDs(history: History, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const part of inParts(ids)) {
    const rows = await history.selectFrom('run').select('run_id').where('run_id', 'in', part).execute();
    for (const { run_id } of rows) known.add(run_id);
  }
  return known;
}

/** Maximum number of values in one query. Databases have a limit. */
const MAX_VALUES = 1000;

/** Divides a list into parts that fit into one query each. */
export function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += MAX_VALUES) yield all.slice(at, at + MAX_VALUES);
}

/** A value that differs after a run was added or removed. */
export interface HistoryState {
  readonly runs: number;
  /** The number of the latest run; null if there is no run. */
  readonly latest: number | null;
}

/** Returns the current state of a history, to find out whether it has changed. */
export async function historyState(history: History): Promise<HistoryState> {
  const { runs, latest } = await history
    .selectFrom('run')
    // PostgreSQL returns a count as a text.
    .select(({ fn }) => [fn.countAll<number | string>().as('runs'), fn.max('number').as('latest')])
    .executeTakeFirstOrThrow();
  return { runs: Number(runs), latest };
}

/** The verdict of one rule in one run. */
export type RuleVerdict = Pick<RuleResultRow, 'run' | 'rule' | 'verdict'>;

/** Returns the verdicts of all rules in these runs. */
export async function ruleVerdicts(history: History, runs: readonly number[]): Promise<readonly RuleVerdict[]> {
  const all: RuleVerdict[] = [];
  for (const part of inParts(runs)) {
    const query = history.selectFrom('rule_result').select(['run', 'rule', 'verdict']);
    for (const row of await query.where('run', 'in', part).execute()) all.push(row);
  }
  return all;
}
