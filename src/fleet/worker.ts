import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobStore } from '../app/history/job-store.ts';
import type { History } from '../history/history.ts';
import { addJobs, type DueTime, hasOpenJobs, latestJobs, takeJob } from '../history/jobs.ts';
import { latestStartsSince } from '../history/runs.ts';
import type { CheckedOperator } from './check-fleet.ts';
import { type JobResult, runJob } from './job-run.ts';
import type { Processes } from './run-process.ts';
import { isQuiet, latestStartBefore, type Schedule } from './schedule.ts';

export interface WorkerOptions {
  /** The operators that this worker can judge. */
  readonly operators: readonly CheckedOperator[];
  readonly store: JobStore;
  /** Maximum number of operators that are judged at the same time. */
  readonly parallel: number;
  /** True if the worker ends when no job of its operators is open. Otherwise it ends only by the signal. */
  readonly untilIdle: boolean;
  readonly leaseMs: number;
  /** Time between two looks for jobs, in ms. */
  readonly pollMs: number;
  readonly processes: Processes;
  readonly onResult: (result: JobResult) => void;
  /** Is called with the path of a journal whose run still owes something after a settlement. */
  readonly onOwed: (operator: string, journal: string) => void;
}

const MINUTE_MS = 60_000;

/**
 * Takes the jobs that are due, and does them, until the signal of the processes is aborted.
 *
 * @throws UsageError if a newer version of croupier has changed the tables
 */
export async function work(options: WorkerOptions): Promise<void> {
  const { operators, store, parallel, untilIdle, leaseMs, pollMs, processes, onResult, onOwed } = options;
  const { signal } = processes;
  const worker = `${hostname()}:${process.pid}`;
  const running = new Map<number, Promise<void>>();
  let wake = new AbortController();
  const failed = new AbortController();
  let minute = 0;
  const stopped = AbortSignal.any([signal, failed.signal]);
  while (!stopped.aborted) {
    const now = new Date();
    if (Math.floor(now.getTime() / MINUTE_MS) !== minute) {
      await whileWorking(store, signal, async (history) => {
        await addJobs(history, await dueTimes(history, operators, now));
      });
      minute = Math.floor(now.getTime() / MINUTE_MS);
    }
    const free = operators.filter(({ quiet, zone }) => quiet === undefined || !isQuiet(quiet, zone, new Date()));
    const names = free.map(({ name }) => name);
    while (running.size < parallel && !signal.aborted) {
      const job = await whileWorking(store, signal, (history) => takeJob(history, names, worker, leaseMs));
      const operator = operators.find(({ name }) => name === job?.operator);
      if (!job || !operator) break;
      const done = runJob(operator, {
        store,
        job,
        leaseMs,
        processes,
        onOwed: (journal) => onOwed(operator.name, journal),
      })
        .then(onResult)
        .catch((error: unknown) => {
          failed.abort(error);
        })
        .finally(() => {
          running.delete(job.id);
          wake.abort();
        });
      running.set(job.id, done);
    }
    if (untilIdle && running.size === 0 && !signal.aborted) {
      const isOpen = await whileWorking(store, signal, (history) => hasOpenJobs(history, names));
      if (isOpen === false) return;
    }
    wake = new AbortController();
    // Operators are due at whole minutes.
    const untilNextMinute = MINUTE_MS - (Date.now() % MINUTE_MS);
    await sleep(Math.min(pollMs, untilNextMinute), undefined, {
      signal: AbortSignal.any([stopped, wake.signal]),
    }).catch(() => undefined);
  }
  await Promise.all(running.values());
  if (!signal.aborted) failed.signal.throwIfAborted();
}

/** Does some work with the database, and repeats it until it succeeds. @returns undefined if the worker must end before */
async function whileWorking<T>(
  store: JobStore,
  signal: AbortSignal,
  work: (history: History) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await store.untilDone(work, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/**
 * Returns the latest due time of each operator that has neither a job for this time nor a later run. If due times were missed, only
 * the latest one counts.
 */
async function dueTimes(
  history: History,
  operators: readonly CheckedOperator[],
  now: Date,
): Promise<readonly DueTime[]> {
  const known = await latestJobs(history);
  // Many operators have the same schedule. Computing a time is slow, so it is computed once for each schedule.
  const bySchedule = new Map<string, string | undefined>();
  const dueAtOf = (schedule: Schedule): string | undefined => {
    const key = JSON.stringify(schedule);
    if (!bySchedule.has(key)) bySchedule.set(key, latestStartBefore(schedule, now)?.toISOString());
    return bySchedule.get(key);
  };
  const withoutJob = operators.flatMap((operator) => {
    const dueAt = operator.schedule && dueAtOf(operator.schedule);
    return dueAt === undefined || (known.get(operator.name) ?? '') >= dueAt ? [] : [{ operator, dueAt }];
  });
  const [earliest] = withoutJob.map(({ dueAt }) => dueAt).sort();
  if (earliest === undefined) return [];
  // One query gets the runs of all operators, because thousands of operators may be due at the same time.
  const begun = await latestStartsSince(history, earliest);
  return withoutJob
    .filter(({ operator, dueAt }) => !begun.of(operator).some(({ startedAt }) => startedAt >= dueAt))
    .map(({ operator: { name, extCID }, dueAt }) => ({ operator: name, extCID, dueAt }));
}
