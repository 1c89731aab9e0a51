import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { EXIT, UsageError } from '../app/exit-status.ts';
import { whyUnreadable } from '../app/files.ts';
import { journalName } from '../app/journal-files.ts';
import { plural } from '../contract/plural.ts';
import { makeFolder } from '../folder/make-folder.ts';
import type { History } from '../history/history.ts';
import {
  beginJournal,
  earlierJournals,
  failJob,
  finishJob,
  giveJobBack,
  type JobJournal,
  JobLost,
  journalParts,
  removeJournal,
} from '../history/jobs.ts';
import type { CheckedOperator } from './check-fleet.ts';
import { JournalStream } from './journal-stream.ts';
import { killWriter } from './kill-writer.ts';
import { LEASE_LOST_STATUS } from './lease-messages.ts';
import { type JobContext, type LeasedEnd, runLeased } from './leased-process.ts';
import { processesOf, runArguments } from './run-process.ts';

/** The result of a job on this worker. */
export interface JobResult {
  readonly name: string;
  /**
   * `done`: the run is in the history. `failed`: no run was possible. `again`: a worker takes the job again. `lost`: another worker
   * has it.
   */
  readonly how: 'done' | 'failed' | 'again' | 'lost';
  readonly status: number;
  readonly line: string;
  /** The lines of the error output of the run. */
  readonly notices?: readonly string[];
}

/** Maximum number of attempts of one job. After that number, the cause is something that another attempt does not change. */
const MAX_ATTEMPTS = 10;
/** Time until a job is tried again after its players were in use, or after its run failed, in ms. */
const AGAIN_MS = 30_000;

/**
 * Does one job: settles what earlier attempts owe, judges the operator, and adds the run to the history.
 *
 * While the database can't be used, waits for it.
 *
 * @throws the error of the database, if the worker must end while the database can't be used
 */
export async function runJob(operator: CheckedOperator, context: JobContext): Promise<JobResult> {
  const { name } = operator;
  try {
    return { name, ...(await new JobRun(operator, context).run()) };
  } catch (error) {
    if (!(error instanceof JobLost)) throw error;
    return { name, how: 'lost', status: 0, line: 'another worker has taken this run' };
  }
}

type Result = Omit<JobResult, 'name'>;

class JobRun {
  readonly #operator: CheckedOperator;
  readonly #context: JobContext;

  constructor(operator: CheckedOperator, context: JobContext) {
    this.#operator = operator;
    this.#context = context;
  }

  async run(): Promise<Result> {
    const { store, job, processes } = this.#context;
    const { atOnce, signal } = processes;
    for (const journal of await store.untilDone((history) => earlierJournals(history, job), atOnce)) {
      const unsettled = await this.#settle(journal);
      if (unsettled) return unsettled;
    }
    if (job.attempts > MAX_ATTEMPTS)
      return this.#fail({
        status: EXIT.BUG,
        line: `${plural(job.attempts - 1, 'attempt')} ended before the end of the run`,
      });
    if (signal.aborted) return this.#again('the worker was stopped', 0, false);
    const args = await this.#arguments();
    return 'how' in args ? args : this.#judge(args);
  }

  async #arguments(): Promise<readonly string[] | Result> {
    try {
      return await runArguments(this.#operator, this.#context.processes);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return this.#fail({ status: EXIT.USAGE, line: error.message });
    }
  }

  async #judge(args: readonly string[]): Promise<Result> {
    const { store, job, leaseMs, processes } = this.#context;
    const name = journalName(new Date());
    const journal = await store.untilDone((history) => beginJournal(history, job, name, leaseMs), processes.atOnce);
    const file = this.#fileOf(journal);
    const end = await runLeased(
      [...args, '--journal', path.relative(processes.dir, file)],
      { ...this.#context, processes: processesOf(this.#operator, processes) },
      new JournalStream(this.#context, journal, file),
    );
    return this.#concluded(end, journal, file);
  }

  async #concluded(end: LeasedEnd, journal: JobJournal, file: string): Promise<Result> {
    const { store, job, processes } = this.#context;
    const { status, line, notices, finished } = end;
    if (end.isLost) throw new JobLost(job);
    if (!finished) {
      if (status === EXIT.USAGE) return this.#fail({ status, line });
      if (processes.signal.aborted) return this.#again(line, 0, false);
      return job.attempts < MAX_ATTEMPTS ? this.#again(line, AGAIN_MS, true) : this.#fail({ status, line });
    }
    const { run, retention } = finished;
    if (run.run.ended === 'interrupted') return this.#again(line, 0, false);
    if (run.run.ended === 'in-use') return this.#again(line, AGAIN_MS, false);
    await store.untilDone((history) => {
      const evidence = { kind: 'journal' as const, content: createReadStream(file) };
      return finishJob(history, job, { status, line }, { run, evidence, retention, journal });
    }, processes.atOnce);
    return { how: 'done', status, line, notices };
  }

  /** Settles the journal of an earlier attempt. @returns the result of the job if it can't go on */
  async #settle(journal: JobJournal): Promise<Result | undefined> {
    const { store, job, leaseMs, processes, onOwed } = this.#context;
    const parts = await store.untilDone((history) => journalParts(history, journal.id), processes.atOnce);
    const stored = parts.join('');
    if (stored !== '') {
      const file = this.#fileOf(journal);
      killWriter(file);
      writeStored(file, stored);
      const stream = new JournalStream(this.#context, journal, file, {
        bytes: Buffer.byteLength(stored),
        parts: parts.length,
      });
      const { config, extCID } = this.#operator;
      const args = ['settle', path.relative(processes.dir, file), '--config', config, '--client', extCID];
      const { status, line, isLost } = await runLeased(args, this.#context, stream);
      if (isLost) throw new JobLost(job);
      if (processes.signal.aborted && status !== 0) return this.#again(line, 0, false);
      // The settlement did not complete, although this worker still holds the job: its answer to the settlement came too late.
      if (status === LEASE_LOST_STATUS && job.attempts < MAX_ATTEMPTS) return this.#again(line, 0, true);
      // The operator refuses the calls that the run owes. So croupier judges the operator, and the next job tries again to settle
      // the run.
      if (status === EXIT.UNDECIDED) {
        onOwed(path.relative(processes.dir, file));
        return undefined;
      }
      if (status !== 0)
        return job.attempts < MAX_ATTEMPTS
          ? this.#again(`An earlier run can't be settled: ${line}`, AGAIN_MS, true)
          : this.#fail({ status, line: `An earlier run can't be settled: ${line}` });
    }
    await store.untilDone((history) => removeJournal(history, job, journal, leaseMs), processes.atOnce);
    return undefined;
  }

  async #fail(end: { readonly status: number; readonly line: string }): Promise<Result> {
    const { store, job, processes } = this.#context;
    await store.untilDone((history) => failJob(history, job, end), processes.atOnce);
    return { how: 'failed', ...end };
  }

  async #again(line: string, delayMs: number, isAttempt: boolean): Promise<Result> {
    const { store, job, processes } = this.#context;
    const giveBack = (history: History) => giveJobBack(history, job, { delayMs, isAttempt, line });
    // If the worker must end, it tries this only once. If the attempt fails, the job becomes free when the lease ends.
    if (processes.signal.aborted) await store.once(giveBack).catch(() => undefined);
    else await store.untilDone(giveBack, processes.signal);
    return { how: 'again', status: 0, line };
  }

  #fileOf({ name }: JobJournal): string {
    return path.join(this.#context.processes.dir, '.croupier', path.basename(name));
  }
}

/**
 * Writes a journal from the database to its file. If the file is still there and has more lines, it stays as it is, because the
 * last replies may be only in the file.
 *
 * @throws UsageError if the file can't be written
 */
function writeStored(file: string, stored: string): void {
  try {
    if (existsSync(file) && readFileSync(file, 'utf8').startsWith(stored)) return;
    makeFolder(path.dirname(file), 0o700);
    writeFileSync(file, stored, { mode: 0o600 });
  } catch (error) {
    throw new UsageError(`The journal can't be written: ${file}: ${whyUnreadable(error)}.`, { cause: error });
  }
}
