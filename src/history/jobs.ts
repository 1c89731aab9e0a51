import type { ExpressionBuilder } from 'kysely';
import { databaseTime } from './dialect.ts';
import type { History } from './history.ts';
import { LeaseLost } from './lease-lost.ts';
import { inParts } from './recent-runs.ts';
import { addRunWithin, type Evidence, type FinishedRun } from './record.ts';
import type { Retention } from './retention.ts';
import type { HistoryTables, NewJob } from './tables.ts';

/** A job that a worker has taken. Its token proves that the worker holds the lease. */
export interface HeldJob {
  readonly id: number;
  /** The name of the operator in fleet.yaml. */
  readonly operator: string;
  readonly extCID: string;
  /** The due time in UTC (ISO 8601). */
  readonly dueAt: string;
  readonly token: number;
  /** Number of times that a worker has taken the job, this time included. */
  readonly attempts: number;
}

/** A time at which an operator is due. */
export interface DueTime {
  readonly operator: string;
  readonly extCID: string;
  /** UTC, in the format of ISO 8601. */
  readonly dueAt: string;
}

/** The journal of an earlier attempt of a job, which may still owe something. */
export interface JobJournal {
  readonly id: number;
  readonly name: string;
}

/**
 * Adds a job for each due time, unless the operator already has a job for this time, or a job that has not ended.
 *
 * @returns the number of new jobs
 */
export async function addJobs(history: History, due: readonly DueTime[]): Promise<number> {
  // All workers add jobs in the same order. In different orders, two workers could wait for each other forever in PostgreSQL.
  const inOrder = due.toSorted((a, b) => (a.operator < b.operator ? -1 : 1));
  let added = 0;
  for (const part of inParts(inOrder)) {
    const { numInsertedOrUpdatedRows = 0n } = await history
      .insertInto('job')
      .values(part.map(waitingJob))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    added += Number(numInsertedOrUpdatedRows);
  }
  return added;
}

function waitingJob({ operator, extCID, dueAt }: DueTime): NewJob {
  return {
    operator,
    ext_cid: extCID,
    due_at: dueAt,
    state: 'waiting',
    token: 0,
    attempts: 0,
    worker: null,
    taken_at: null,
    lease_until: null,
    not_before: 0,
    status: null,
    line: null,
    run: null,
    ended_at: null,
  };
}

/** The due time of the latest job of each operator, by the operator's name. */
export async function latestJobs(history: History): Promise<ReadonlyMap<string, string>> {
  const rows = await history
    .selectFrom('job')
    .select(({ fn }) => ['operator', fn.max('due_at').as('due_at')])
    .groupBy('operator')
    .execute();
  return new Map(rows.map(({ operator, due_at }) => [operator, due_at]));
}

/** Returns the times at which the jobs in progress were taken, by the name of the operator, in UTC (ISO 8601). */
export async function runningJobs(history: History): Promise<ReadonlyMap<string, string>> {
  const rows = await history
    .selectFrom('job')
    .select(['operator', 'taken_at'])
    .where('state', '=', 'running')
    .where('lease_until', '>', databaseTime(history))
    .execute();
  return new Map(rows.flatMap(({ operator, taken_at }) => (taken_at === null ? [] : [[operator, taken_at]])));
}

/** True if a job of one of these operators waits or runs. */
export async function hasOpenJobs(history: History, operators: readonly string[]): Promise<boolean> {
  if (operators.length === 0) return false;
  const row = await history
    .selectFrom('job')
    .select('id')
    .where('operator', 'in', operators)
    .where('state', 'in', ['waiting', 'running'])
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * After this number of attempts, a job comes after all jobs with fewer attempts. Perhaps its runs end the workers. And its attempts
 * take longer and longer if the operator refuses what they owe, because each attempt first tries to settle the earlier ones.
 */
const ATTEMPTS_BEFORE_LAST = 3;

/**
 * Takes the job that has been due longest: a job that waits, or a job whose lease has ended because its worker died or can't
 * reach the database. Jobs with several attempts come last.
 *
 * @param operators the names of the operators whose jobs may be taken
 * @param worker the name of the worker, for the status
 * @returns undefined if there is no such job
 */
export async function takeJob(
  history: History,
  operators: readonly string[],
  worker: string,
  leaseMs: number,
): Promise<HeldJob | undefined> {
  if (operators.length === 0) return undefined;
  const now = databaseTime(history);
  const isFree = (of: ExpressionBuilder<HistoryTables, 'job'>) =>
    of.or([
      of.and([of('state', '=', 'waiting'), of('not_before', '<=', now)]),
      of.and([of('state', '=', 'running'), of('lease_until', '<', now)]),
    ]);
  for (;;) {
    const free = await history
      .selectFrom('job')
      .select(['id', 'token'])
      .where('operator', 'in', operators)
      .where(isFree)
      .orderBy((of) => of.case().when('attempts', '<', ATTEMPTS_BEFORE_LAST).then(0).else(1).end())
      .orderBy('due_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!free) return undefined;
    // If another worker has taken the job since it was read, the token of the job has changed. If its worker has renewed the lease,
    // the job is not free any more. Then the next job is tried.
    const taken = await history
      .updateTable('job')
      .set((of) => ({
        state: 'running',
        token: of('token', '+', 1),
        attempts: of('attempts', '+', 1),
        worker,
        taken_at: new Date().toISOString(),
        lease_until: of(now, '+', leaseMs),
      }))
      .where('id', '=', free.id)
      .where('token', '=', free.token)
      .where(isFree)
      .returning(['id', 'operator', 'ext_cid', 'due_at', 'token', 'attempts'])
      .executeTakeFirst();
    if (!taken) continue;
    const { id, operator, ext_cid, due_at, token, attempts } = taken;
    return { id, operator, extCID: ext_cid, dueAt: due_at, token, attempts };
  }
}

/**
 * Renews the lease of a job.
 *
 * @returns false if the worker no longer holds the job
 */
export async function renewLease(history: History, { id, token }: HeldJob, leaseMs: number): Promise<boolean> {
  const { numUpdatedRows } = await history
    .updateTable('job')
    .set((of) => ({ lease_until: of(databaseTime(history), '+', leaseMs) }))
    .where('id', '=', id)
    .where('token', '=', token)
    .where('state', '=', 'running')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Thrown when a worker that has lost its job wants to write something. Nothing was written. */
export class JobLost extends LeaseLost {
  override readonly name = 'JobLost';

  constructor({ operator }: HeldJob) {
    super(`another worker has taken the job of ${operator}`);
  }
}

/**
 * Does some work in a transaction that also renews the lease. The row of the job stays locked until the end of the transaction, so
 * no other worker can take the job in between.
 *
 * @throws JobLost if the worker has lost the job
 */
async function whileHeld<T>(
  history: History,
  job: HeldJob,
  leaseMs: number,
  work: (transaction: History) => Promise<T>,
): Promise<T> {
  return history.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, job, leaseMs))) throw new JobLost(job);
    return work(transaction);
  });
}

/** Begins a journal of a job. @param name the name of its file @throws JobLost */
export async function beginJournal(history: History, job: HeldJob, name: string, leaseMs: number): Promise<JobJournal> {
  return whileHeld(history, job, leaseMs, async (transaction) =>
    transaction
      .insertInto('job_journal')
      .values({ job: job.id, operator: job.operator, token: job.token, name })
      .returning(['id', 'name'])
      .executeTakeFirstOrThrow(),
  );
}

/**
 * Adds lines to a journal, and renews the lease. After that, the calls in these lines may leave.
 *
 * @param part the number of the part, counted from 0
 * @throws JobLost if the worker has lost the job
 */
export async function addToJournal(
  history: History,
  job: HeldJob,
  { journal, part, content, leaseMs }: { journal: number; part: number; content: string; leaseMs: number },
): Promise<void> {
  await whileHeld(history, job, leaseMs, async (transaction) => {
    // An earlier attempt may have reported a failure although its commit succeeded. Then the part is already there.
    await transaction
      .insertInto('job_journal_part')
      .values({ journal, part, content })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

/** Returns the journals of earlier attempts to judge the operator of a job, the oldest first. */
export async function earlierJournals(history: History, { operator }: HeldJob): Promise<readonly JobJournal[]> {
  return history
    .selectFrom('job_journal')
    .select(['id', 'name'])
    .where('operator', '=', operator)
    .orderBy('id')
    .execute();
}

/** The journal of an attempt that has ended without a result. */
interface UnsettledJournal extends JobJournal {
  /** The name of the operator in fleet.yaml. */
  readonly operator: string;
  /** Number of stored parts. */
  readonly parts: number;
  /** The worker that took the job last, as host and process id. */
  readonly worker: string | null;
}

/** Returns the journals whose jobs no worker is doing now. Their runs may still owe something. */
export async function unsettledJournals(history: History): Promise<readonly UnsettledJournal[]> {
  const rows = await history
    .selectFrom('job_journal')
    .leftJoin('job', 'job.id', 'job_journal.job')
    .select(['job_journal.id', 'job_journal.operator', 'job_journal.name', 'job.worker'])
    .select((of) =>
      of
        .selectFrom('job_journal_part')
        .select(({ fn }) => fn.countAll().as('parts'))
        .whereRef('job_journal_part.journal', '=', 'job_journal.id')
        .as('parts'),
    )
    .where((of) =>
      of.or([
        of('job.state', 'is', null),
        of('job.state', '<>', 'running'),
        of('job.lease_until', '<', databaseTime(history)),
      ]),
    )
    .orderBy('job_journal.id')
    .execute();
  // PostgreSQL returns a count as a text.
  return rows.map(({ parts, ...row }) => ({ ...row, parts: Number(parts) }));
}

/** Returns the text of a journal, in its parts. */
export async function journalParts(history: History, journal: number): Promise<readonly string[]> {
  const rows = await history
    .selectFrom('job_journal_part')
    .select('content')
    .where('journal', '=', journal)
    .orderBy('part')
    .execute();
  return rows.map(({ content }) => content);
}

/** Removes a journal that owes nothing. @throws JobLost */
export async function removeJournal(
  history: History,
  job: HeldJob,
  { id }: JobJournal,
  leaseMs: number,
): Promise<void> {
  await whileHeld(history, job, leaseMs, async (transaction) => {
    await transaction.deleteFrom('job_journal').where('id', '=', id).execute();
  });
}

/** The result of a job. */
export interface JobEnd {
  /** The exit status of the run. */
  readonly status: number;
  /** The first line of the report, or the reason why there is none. */
  readonly line: string;
}

/**
 * Ends a job: adds its run to the history, and removes its journal. Does all of this or nothing.
 *
 * @returns the number of the run in the history
 * @throws JobLost if the worker has lost the job
 */
export async function finishJob(
  history: History,
  job: HeldJob,
  end: JobEnd,
  {
    run,
    evidence,
    retention,
    journal,
  }: { run: FinishedRun; evidence: Evidence; retention: Retention; journal: JobJournal },
): Promise<number> {
  try {
    return await whileHeld(history, job, 0, async (transaction) => {
      const number = await addRunWithin(transaction, run, evidence, retention);
      await transaction.deleteFrom('job_journal').where('id', '=', journal.id).execute();
      await close(transaction, job, 'done', end, number);
      const oldest = new Date(retention.now - retention.days * DAY_MS).toISOString();
      await transaction
        .deleteFrom('job')
        .where('state', 'in', ['done', 'failed'])
        .where('due_at', '<', oldest)
        .execute();
      return number;
    });
  } catch (error) {
    if (!(error instanceof JobLost)) throw error;
    // An earlier attempt may have failed after its commit.
    const ended = await history
      .selectFrom('job')
      .select('run')
      .where('id', '=', job.id)
      .where('token', '=', job.token)
      .where('state', '=', 'done')
      .executeTakeFirst();
    if (ended?.run == null) throw error;
    return ended.run;
  }
}

const DAY_MS = 86_400_000;

/** Ends a job for which no run was possible. @throws JobLost */
export async function failJob(history: History, job: HeldJob, end: JobEnd): Promise<void> {
  await whileHeld(history, job, 0, (transaction) => close(transaction, job, 'failed', end, null));
}

async function close(
  transaction: History,
  { id }: HeldJob,
  state: 'done' | 'failed',
  { status, line }: JobEnd,
  run: number | null,
): Promise<void> {
  await transaction
    .updateTable('job')
    .set({ state, status, line, run, lease_until: null, ended_at: new Date().toISOString() })
    .where('id', '=', id)
    .execute();
}

/**
 * Gives a job back, so that any worker can take it.
 *
 * @param delayMs time in which no worker takes it
 * @param isAttempt false if no call was sent, so that this attempt does not count
 * @throws JobLost
 */
export async function giveJobBack(
  history: History,
  job: HeldJob,
  { delayMs, isAttempt, line }: { delayMs: number; isAttempt: boolean; line: string },
): Promise<void> {
  await whileHeld(history, job, 0, async (transaction) => {
    await transaction
      .updateTable('job')
      .set((of) => ({
        state: 'waiting',
        lease_until: null,
        not_before: delayMs === 0 ? of.lit(0) : of(databaseTime(transaction), '+', delayMs),
        attempts: of('attempts', '-', isAttempt ? 0 : 1),
        line,
      }))
      .where('id', '=', job.id)
      .execute();
  });
}
