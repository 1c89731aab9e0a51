import { ByClient } from '../history/client.ts';
import type { History } from '../history/history.ts';
import { runningJobs } from '../history/jobs.ts';
import { knownRunIDs, type RecentRun, runsSince } from '../history/recent-runs.ts';
import { isDueRun, latestRunOf, latestStart, latestSuccess, type PastRun, runsNumbered } from '../history/runs.ts';
import type { CheckedOperator } from './check-fleet.ts';
import { FleetJournals, type OpenJournal, type Owed } from './open-journals.ts';
import { nextStarts } from './schedule.ts';
import { StoredDebts } from './stored-debts.ts';

/** The latest results of an operator. All times are in UTC (ISO 8601). */
export interface LatestResults {
  /** Undefined if no run has judged the operator. */
  readonly latest: PastRun | undefined;
  /** The start of the latest run that counts as a run of its due time. */
  readonly begun: string | undefined;
  /** The start of the latest run that found no breach. */
  readonly lastSuccess: string | undefined;
}

/** An operator is late if it has become due since its latest run, and no run is in progress. */
export interface Late {
  /** The time at which the operator was due, in UTC (ISO 8601); null if no run has judged the operator yet. */
  readonly since: string | null;
}

/** The state of one operator of a fleet. */
export interface OperatorStatus extends LatestResults {
  readonly operator: CheckedOperator;
  /** The start of the run that is in progress; undefined if there is none. */
  readonly runningSince: string | undefined;
  readonly late: Late | undefined;
  /** The runs of this operator that owe something. */
  readonly owed: readonly Owed[];
}

/** Age up to which runs are read together, in ms. Older runs are rarely needed, so they are read one by one. */
const RECENT_MS = 30 * 86_400_000;

/**
 * Returns the state of each operator.
 *
 * @param dir the folder of the fleet
 * @param history undefined if the fleet has none yet
 */
export async function fleetStatus(
  operators: readonly CheckedOperator[],
  dir: string,
  history: History | undefined,
  now: Date,
): Promise<readonly OperatorStatus[]> {
  const journals = new FleetJournals(dir);
  const open = await journals.open(async (ids) => (history ? knownRunIDs(history, ids) : new Set()));
  const recent = history ? await runsSince(history, new Date(now.getTime() - RECENT_MS).toISOString()) : [];
  const results = history ? await latestResults(history, operators, recent) : new Map<string, LatestResults>();
  // Workers on other machines have their journals there.
  const running = history ? await runningJobs(history) : new Map<string, string>();
  const stored = history ? await new StoredDebts(dir).owed(history) : new Map<string, readonly Owed[]>();
  const all: OperatorStatus[] = [];
  for (const operator of operators) {
    const own = results.get(operator.name) ?? { latest: undefined, begun: undefined, lastSuccess: undefined };
    const toCheck = open.of(operator);
    const owed: Owed[] = [...(stored.get(operator.name) ?? [])];
    for (const journal of toCheck) owed.push(...[await journals.owedBy(journal)].filter((one) => one !== undefined));
    const runningSince = runningAmong(toCheck) ?? running.get(operator.name);
    const late = runningSince === undefined ? lateSince(operator, own.begun, now) : undefined;
    all.push({ ...own, operator, runningSince, late, owed });
  }
  return all;
}

/** Returns the start of the run that is in progress; undefined if there is none. */
export function runningAmong(journals: readonly OpenJournal[]): string | undefined {
  return journals.find(({ isRunning }) => isRunning)?.begun.startedAt;
}

/**
 * Returns the latest results of each operator, by its name.
 *
 * @param recent the recent runs of all operators, the latest first. For an operator without recent runs, the older runs are read
 */
export async function latestResults(
  history: History,
  operators: readonly CheckedOperator[],
  recent: readonly RecentRun[],
): Promise<ReadonlyMap<string, LatestResults>> {
  const byClient = recentByClient(recent.filter(({ kind }) => kind === 'run'));
  const newest = operators.flatMap((operator) => byClient.of(operator)[0]?.number ?? []);
  const found = await runsNumbered(history, newest);
  const results = new Map<string, LatestResults>();
  for (const operator of operators) {
    const own = byClient.of(operator);
    const latest = (own[0] && found.get(own[0].number)) ?? (await latestRunOf(history, operator));
    const begun = own.find(isDueRun)?.started_at ?? (latest && (await latestStart(history, operator)));
    const success = own.find(({ verdict }) => verdict === 'conforming')?.started_at;
    const lastSuccess = success ?? (latest && (await latestSuccess(history, operator)));
    results.set(operator.name, { latest, begun, lastSuccess });
  }
  return results;
}

/** Divides recent runs by client and operator. */
export function recentByClient(recent: readonly RecentRun[]): ByClient<RecentRun> {
  return new ByClient(recent, ({ ext_cid, operator }) => ({ extCID: ext_cid, operator }));
}

/** Returns the time at which an operator is due after a run; undefined if it has no schedule. @param begun the start of the run */
export function dueAfter({ schedule }: CheckedOperator, begun: string): Date | undefined {
  return schedule && nextStarts(schedule, new Date(begun), 1)[0];
}

/**
 * Says since when an operator is late. Undefined if the operator is not late.
 *
 * @param begun the start of the latest run that counts
 * @param due returns the time at which an operator is due after a run
 */
export function lateSince(
  operator: CheckedOperator,
  begun: string | undefined,
  now: Date,
  due: typeof dueAfter = dueAfter,
): Late | undefined {
  if (!operator.schedule) return undefined;
  if (begun === undefined) return { since: null };
  const next = due(operator, begun);
  return next && next <= now ? { since: next.toISOString() } : undefined;
}
