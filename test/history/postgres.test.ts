import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Board } from '../../src/fleet/board/board.ts';
import { type History, openHistory, openHistoryAt } from '../../src/history/history.ts';
import {
  addJobs,
  addToJournal,
  beginJournal,
  finishJob,
  hasOpenJobs,
  JobLost,
  renewLease,
  takeJob,
} from '../../src/history/jobs.ts';
import { addRun, type FinishedRun } from '../../src/history/record.ts';
import { findRun, latestRuns, runCount, storedJournal } from '../../src/history/runs.ts';
import { operatorChecked } from '../fleet/operators.ts';
import { HAS_POSTGRES, startPostgres, type TestPostgres } from '../postgres.ts';

const FOLDER = import.meta.dirname;
const RETENTION = { runs: 2, days: 400, journals: 1, now: Date.parse('2026-11-25T12:00:00Z') };
const LEASE_MS = 60_000;

function finished(id: string, day: string): FinishedRun {
  return {
    run: {
      run_id: id,
      kind: 'run',
      started_at: `2026-11-${day}T01:00:00.000Z`,
      duration_ms: 1234.5678,
      ext_cid: 'acme',
      operator: 'https://wallet.example/eu',
      verdict: 'conforming',
      exit_code: 0,
      first_line: 'CONFORMING \u0000 \u{1F3B0}',
      ended: 'complete',
      croupier: '1.0.0',
      contract: '1.10.2',
      build: null,
      labels: '{}',
      selection: '[]',
      whole: 1,
      rules_digest: 'r',
      suite_digest: 's',
      config_digest: 'c',
      played_digest: `played by ${id}`,
      journal: 'run.ndjson',
      summary: null,
    },
    rules: [{ rule: 'bet.debit', verdict: 'pass', flaky: 0, reason: null, failing: '[]' }],
    played: ['bet/debit'],
  };
}

const evidence = (text: string) => ({ kind: 'journal' as const, content: [Buffer.from(text)] });

describe.skipIf(!HAS_POSTGRES)('a history in PostgreSQL', () => {
  let postgres: TestPostgres;
  let database = '';
  beforeAll(async () => {
    postgres = await startPostgres();
    database = await postgres.create('history');
  }, 60_000);
  afterAll(() => postgres.remove());

  async function open(): Promise<History> {
    const history = await openHistoryAt({ dir: FOLDER, database });
    onTestFinished(() => history.destroy());
    return history;
  }

  it('reports a connection that breaks between two queries of a transaction, and opens a new one', async () => {
    const [history, other] = await Promise.all([open(), open()]);
    const broken = history.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(transaction);
      const pid = rows[0]?.pid ?? expect.fail('a connection has a process');
      await sql`SELECT pg_terminate_backend(${sql.lit(pid)})`.execute(other);
      await vi.waitUntil(async () => {
        const left = await sql`SELECT 1 FROM pg_stat_activity WHERE pid = ${sql.lit(pid)}`.execute(other);
        return left.rows.length === 0;
      });
      // In this time, the end of the connection arrives.
      await sleep(200);
      await runCount(transaction);
    });
    await expect(broken).rejects.toThrow(/terminat|not queryable/u);
    expect(await runCount(history)).toBe(0);
  });

  it('leaves a job to its worker if the worker renews the lease at the moment at which another worker takes the job', async () => {
    const [history, other, looking] = await Promise.all([open(), open(), open()]);
    await addJobs(history, [{ operator: 'late', extCID: 'late', dueAt: '2026-11-20T03:00:00.000Z' }]);
    const job = (await takeJob(history, ['late'], 'one', LEASE_MS)) ?? expect.fail('the job is free');
    await history.updateTable('job').set({ lease_until: 0 }).where('id', '=', job.id).execute();
    const taken = await history.transaction().execute(async (transaction) => {
      // The commit of this renewal takes some time. Until then, the other worker sees the old lease, and waits for the row.
      expect(await renewLease(transaction, job, LEASE_MS)).toBe(true);
      const taking = takeJob(other, ['late'], 'two', LEASE_MS);
      await vi.waitUntil(async () => {
        const { rows } = await sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`.execute(looking);
        return rows.length > 0;
      });
      return { taking };
    });
    expect(await taken.taking).toBeUndefined();
    expect(await renewLease(history, job, LEASE_MS)).toBe(true);
    await history.deleteFrom('job').where('id', '=', job.id).execute();
  });

  it('is created once if several processes open it, and keeps runs as SQLite does', async () => {
    const [history] = await Promise.all([open(), open(), open()]);
    if (!history) throw new Error('there is no history');
    const days = ['20', '21', '22'];
    for (const day of days) await addRun(history, finished(`0000-${day}`, day), evidence(`journal ${day}`), RETENTION);
    expect(await runCount(history)).toBe(2);
    const runs = await latestRuns(history, { client: 'acme', limit: 10 });
    expect(runs.map(({ run }) => run.number)).toEqual([3, 2]);
    expect(runs[0]?.run).toMatchObject({ duration_ms: 1234.5678, first_line: 'CONFORMING \uFFFD \u{1F3B0}' });
    expect((await findRun(history, '0000-21'))?.evidence).toBeNull();
    let stored = '';
    for await (const piece of storedJournal(history, 3)) stored += piece;
    expect(stored).toBe('journal 22');
    expect(await history.selectFrom('played').select('digest').execute()).toHaveLength(2);
  });

  it('gives each job to one worker, and refuses every write of a worker that has lost its job', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    if (!one || !other) throw new Error('there is no history');
    const due = { operator: 'acme', extCID: 'acme', dueAt: '2026-11-25T03:00:00.000Z' };
    expect([await addJobs(one, [due]), await addJobs(other, [due])]).toEqual([1, 0]);
    // The operator has an open job, so a second one must wait.
    expect(await addJobs(one, [{ ...due, dueAt: '2026-11-26T03:00:00.000Z' }])).toBe(0);
    const taken = await Promise.all([one, other].map((history) => takeJob(history, ['acme'], 'w', LEASE_MS)));
    const [first, further] = taken.filter((job) => job !== undefined);
    if (!first) throw new Error('nobody has taken the job');
    expect(further).toBeUndefined();
    const journal = await beginJournal(one, first, 'run.ndjson', LEASE_MS);
    expect(await takeJob(other, ['acme'], 'w', LEASE_MS)).toBeUndefined();
    await one.updateTable('job').set({ lease_until: 0 }).execute();
    const second = await takeJob(other, ['acme'], 'w', LEASE_MS);
    expect(second).toMatchObject({ id: first.id, token: first.token + 1, attempts: first.attempts + 1 });
    const part = { journal: journal.id, part: 0, content: '{}\n', leaseMs: LEASE_MS };
    await expect(addToJournal(one, first, part)).rejects.toThrow(JobLost);
    const end = { run: finished('0000-23', '23'), evidence: evidence(''), retention: RETENTION, journal };
    await expect(finishJob(one, first, { status: 0, line: '' }, end)).rejects.toThrow(JobLost);
    expect(await findRun(one, '0000-23')).toBeUndefined();
    if (!second) throw new Error('the job was not taken again');
    const number = await finishJob(other, second, { status: 0, line: '' }, end);
    // An answer can get lost. Then the same is done again, with the same result.
    expect(await finishJob(other, second, { status: 0, line: '' }, end)).toBe(number);
    expect(await hasOpenJobs(one, ['acme'])).toBe(false);
  });

  it('gives the same board of the fleet as SQLite', async () => {
    const own = await postgres.create('board');
    const views: unknown[] = [];
    for (const history of [await openHistory(undefined), await openHistoryAt({ dir: FOLDER, database: own })]) {
      for (const [day, verdict] of [
        ['23', 'pass'],
        ['24', 'fail'],
        ['25', 'pass'],
      ] as const) {
        const { run, rules, played } = finished(`0000-${day}`, day);
        const changing = rules.map((rule) => ({ ...rule, verdict }));
        const rest = { rule: 'win.credit', verdict: 'warn', flaky: 0, reason: 'late', failing: '[]' };
        const same = { ...run, played_digest: 'played', build: '1.4.2' };
        await addRun(history, { run: same, rules: [...changing, rest], played }, evidence(day), {
          ...RETENTION,
          runs: 9,
        });
      }
      const board = new Board({
        operators: [operatorChecked('acme', '0 1 * * *'), operatorChecked('nobody', '0 1 * * *')],
        dir: FOLDER,
        openHistory: async () => history,
        now: () => new Date('2026-11-25T12:00:00Z'),
      });
      await expect.poll(async () => (await board.overview()).isComplete).toBe(true);
      const { operators } = await board.overview();
      expect(operators[0]).toMatchObject({ trend: expect.stringMatching(/-ccc$/), flaky: { rules: 1, worst: 1 } });
      views.push([await board.overview(), await board.operator('acme')]);
      await board.close();
    }
    expect(views[1]).toEqual(views[0]);
  });

  it('is refused with words if the password is wrong, if nobody listens, or if a newer version has written it', async () => {
    const wrong = database.replace('test-password', 'hunter2');
    const failure = await openHistoryAt({ dir: FOLDER, database: wrong }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: 'unusable', message: expect.stringContaining('refuses the user name or') });
    expect(String(failure)).not.toContain('hunter2');
    const nowhere = openHistoryAt({ dir: FOLDER, database: 'postgres://croupier@127.0.0.1:1/history' });
    await expect(nowhere).rejects.toMatchObject({ reason: 'away', message: expect.stringContaining('ECONNREFUSED') });
    await expect(openHistoryAt({ dir: FOLDER, database: 'mysql://x/y' })).rejects.toMatchObject({ reason: 'unusable' });
    const history = await open();
    await history.updateTable('schema_version').set({ version: 99 }).execute();
    await expect(open()).rejects.toMatchObject({ reason: 'newer' });
  });
});
