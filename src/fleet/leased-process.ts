import type { ChildProcess } from 'node:child_process';
import type { JobStore } from '../app/history/job-store.ts';
import { type HeldJob, JobLost, renewLease } from '../history/jobs.ts';
import type { FinishedRun } from '../history/record.ts';
import type { Retention } from '../history/retention.ts';
import type { JournalStream } from './journal-stream.ts';
import { type FromRun, type FromWorker, LEASE_VARIABLE } from './lease-messages.ts';
import { type ProcessEnd, type Processes, processEnd, startProcess } from './run-process.ts';

/** The result of a process under a lease. */
export interface LeasedEnd extends ProcessEnd {
  /** The finished run; undefined if the process ended before it had a result. */
  readonly finished: { readonly run: FinishedRun; readonly retention: Retention } | undefined;
  /** True if another worker has taken the job. */
  readonly isLost: boolean;
}

/** A job that this worker holds, and what is needed to keep it. */
export interface JobContext {
  readonly store: JobStore;
  readonly job: HeldJob;
  readonly leaseMs: number;
  readonly processes: Processes;
  /** Is called with the path of an earlier journal whose run still owes something after a settlement. */
  readonly onOwed: (journal: string) => void;
}

/**
 * Runs a command of croupier as long as the worker holds the lease. Before each call of the command, copies its journal to the
 * database. If the lease is lost, kills the process: a process that is stopped (SIGSTOP) would notice no other message.
 *
 * @param args the arguments of the command
 */
export async function runLeased(
  args: readonly string[],
  { store, job, leaseMs, processes }: Omit<JobContext, 'onOwed'>,
  stream: JournalStream,
): Promise<LeasedEnd> {
  const child = startProcess(args, processes, { [LEASE_VARIABLE]: String(leaseMs) });
  const stopped = new AbortController();
  const untilStopped = AbortSignal.any([processes.atOnce, stopped.signal]);
  let isLost = false;
  let finished: LeasedEnd['finished'];
  const lose = (error: unknown): void => {
    if (error instanceof JobLost) isLost = true;
    child.kill('SIGKILL');
  };
  child.on('message', (message: FromRun) => {
    if (message.kind === 'finished') finished = { run: message.run, retention: message.retention };
    else
      stream.copy(untilStopped).then(
        (heldMs) => answer(child, { kind: 'passed', id: message.id, heldMs }),
        (error: unknown) => lose(error),
      );
  });
  // A failed renewal is not repeated here. The next one comes soon, and each call renews the lease too.
  const beat = setInterval(() => {
    store
      .once((history) => renewLease(history, job, leaseMs))
      .then((isHeld) => (isHeld ? undefined : lose(new JobLost(job))))
      .catch(() => {});
  }, leaseMs / 3);
  try {
    const end = await processEnd(child, processes);
    // A worker that must end does not wait for the database.
    const stop = (): void => stopped.abort();
    if (processes.signal.aborted) stop();
    else processes.signal.addEventListener('abort', stop, { signal: untilStopped });
    // The last lines of the journal are not in the database yet. If the run is repeated, the next worker needs these lines.
    if (!isLost) await stream.copy(untilStopped).catch(lose);
    return { ...end, finished, isLost };
  } finally {
    clearInterval(beat);
    stopped.abort();
    await stream.close();
  }
}

/** Sends a message to a process that may have ended. */
function answer(child: ChildProcess, message: FromWorker): void {
  if (child.connected) child.send(message, () => {});
}
