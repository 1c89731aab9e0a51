import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type History, openHistoryAt } from '../../src/history/history.ts';
import { HAS_POSTGRES, startPostgres, type TestPostgres } from '../postgres.ts';
import { type SimulatedFleet, simulatedFleet, startWorker, type TestWorker } from './simulated-fleet.ts';

/** Enough scenarios for a run of some seconds, because the fleet sends at most 30 calls per second. */
const SELECT = ['bet', 'refund', 'idempotency'];
const LEASE = ['--lease', '4s'];

async function fleetOf(size: number): Promise<SimulatedFleet> {
  const fleet = await simulatedFleet(size, SELECT, 30);
  onTestFinished(() => fleet.close());
  return fleet;
}

async function historyOf(fleet: SimulatedFleet, database?: string): Promise<History> {
  const history = await openHistoryAt({ dir: fleet.cwd, database });
  onTestFinished(() => history.destroy());
  return history;
}

function worker(fleet: SimulatedFleet, flags: readonly string[] = []): TestWorker {
  const started = startWorker(['--until-idle', ...LEASE, ...flags], fleet);
  onTestFinished(() => started.signalAll('SIGKILL'));
  return started;
}

const transactions = (fleet: SimulatedFleet): number =>
  fleet.names.reduce((sum, name) => sum + fleet.operatorOf(name).transactionsOf(name).length, 0);

/** Waits until a run has made transactions. */
async function untilCalled(fleet: SimulatedFleet, count: number): Promise<void> {
  while (transactions(fleet) < count) await sleep(20);
}

/** The attempts and the state of each job. */
const jobsOf = async (history: History) =>
  history.selectFrom('job').select(['operator', 'state', 'attempts']).orderBy('operator').execute();

/** True while a process settles a run of this fleet. */
function isSettling({ cwd }: SimulatedFleet): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return (
        readlinkSync(`/proc/${pid}/cwd`) === cwd && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0settle\0')
      );
    } catch {
      // No process, or one of another user.
      return false;
    }
  });
}

describe('a worker that is stopped', () => {
  it('makes no further call when it goes on after another worker has taken the lease', async () => {
    const fleet = await fleetOf(1);
    const paused = worker(fleet);
    await untilCalled(fleet, 5);
    paused.signalAll('SIGSTOP');
    const history = await historyOf(fleet);
    // Another worker takes a lease only after its end. Until then, a call may leave that the worker has already permitted.
    await sleep(5000);
    // This is what another worker does. A real one would also kill the stopped run, because it runs on the same machine.
    await history
      .updateTable('job')
      .set((of) => ({ token: of('token', '+', 1), lease_until: 1e15 }))
      .execute();
    const before = transactions(fleet);
    paused.signalAll('SIGCONT');
    // The worker itself waits until the job is free again.
    await sleep(3000);
    expect(transactions(fleet)).toBe(before);
    await history.updateTable('job').set({ lease_until: 0 }).execute();
    const { status, out } = await paused.ended;
    expect(out).toContain('another worker has taken this run');
    expect([status, await jobsOf(history)]).toEqual([0, [{ operator: 'operator-000', state: 'done', attempts: 2 }]]);
    expect(fleet.wrongBalances()).toEqual([]);
  }, 120_000);

  it('makes no further call after its lease has ended, even if nobody has taken it', async () => {
    const fleet = await fleetOf(1);
    const paused = worker(fleet);
    await untilCalled(fleet, 5);
    // Only the worker is stopped, so the run gets no answer, and ends itself when its lease of 4 s ends.
    paused.signal('SIGSTOP');
    await sleep(10_000);
    const before = transactions(fleet);
    paused.signal('SIGCONT');
    const { status } = await paused.ended;
    expect([status, fleet.wrongBalances()]).toEqual([0, []]);
    expect(transactions(fleet)).toBeGreaterThan(before);
    // The run was ended, settled and repeated.
    const history = await historyOf(fleet);
    expect(await jobsOf(history)).toEqual([{ operator: 'operator-000', state: 'done', attempts: 2 }]);
  }, 120_000);

  it.skipIf(process.platform !== 'linux')(
    'settles an earlier run again if the settlement got no answer from it in time',
    async () => {
      const fleet = await fleetOf(1);
      const killed = worker(fleet);
      while (fleet.wrongBalances().length === 0) await sleep(5);
      killed.signalAll('SIGKILL');
      await killed.ended;
      expect(fleet.wrongBalances()).toEqual(['operator-000']);
      // With one run at a time, the worker does not look for another job, so it does not take this job again.
      const second = worker(fleet, ['--parallel', '1']);
      while (!isSettling(fleet)) await sleep(10);
      // The settlement asks before its first call, and ends when its lease of 4 s ends. The worker then still has the job.
      second.signal('SIGSTOP');
      while (isSettling(fleet)) await sleep(50);
      second.signal('SIGCONT');
      const { status } = await second.ended;
      const history = await historyOf(fleet);
      expect(await history.selectFrom('job_journal').select('id').execute()).toEqual([]);
      expect([status, fleet.wrongBalances()]).toEqual([0, []]);
      expect(await jobsOf(history)).toEqual([{ operator: 'operator-000', state: 'done', attempts: 3 }]);
    },
    120_000,
  );

  it('lets its runs end their open rounds after SIGTERM, and another worker repeats them', async () => {
    const fleet = await fleetOf(1);
    const first = startWorker(LEASE, fleet);
    await untilCalled(fleet, 5);
    first.signal('SIGTERM');
    const { status, out, err } = await first.ended;
    expect([status, out]).toEqual([0, expect.stringContaining('not judged yet')]);
    expect(err).toContain('Interrupted: each run ends its open rounds.');
    expect(fleet.wrongBalances()).toEqual([]);
    const history = await historyOf(fleet);
    // The attempt does not count, because the run had no fault.
    expect(await jobsOf(history)).toEqual([{ operator: 'operator-000', state: 'waiting', attempts: 0 }]);
    expect((await worker(fleet).ended).status).toBe(0);
    expect(await jobsOf(history)).toEqual([{ operator: 'operator-000', state: 'done', attempts: 1 }]);
    expect(await history.selectFrom('job_journal').select('id').execute()).toEqual([]);
  }, 120_000);
});

describe.skipIf(!HAS_POSTGRES)('a database that is away', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(() => postgres.remove());

  it('lets runs wait if it comes back soon, and the runs go on', async () => {
    const fleet = await fleetOf(2);
    const database = await postgres.create('short');
    const own = worker(fleet, ['--database', database]);
    await untilCalled(fleet, 10);
    await postgres.stop();
    await sleep(1000);
    // No call leaves that the database does not know. On a busy machine, the calls that it knows may still arrive.
    let [before, after] = [-1, transactions(fleet)];
    for (let times = 0; times < 6 && before !== after; times += 1) {
      before = after;
      await sleep(500);
      after = transactions(fleet);
    }
    expect(after).toBe(before);
    await postgres.start();
    const { status, err } = await own.ended;
    expect(err).toMatch(/The database can't be used: .*\nThe database can be used again\.\n/u);
    expect([status, fleet.wrongBalances()]).toEqual([1, []]);
    const history = await historyOf(fleet, database);
    expect(await jobsOf(history)).toEqual([
      { operator: 'operator-000', state: 'done', attempts: 1 },
      { operator: 'operator-001', state: 'done', attempts: 1 },
    ]);
  }, 120_000);

  it('ends runs if it stays away, and the workers settle and repeat them by themselves when it is back', async () => {
    const fleet = await fleetOf(2);
    const database = await postgres.create('long');
    const workers = [1, 2].map(() => worker(fleet, ['--database', database, '--parallel', '1']));
    await untilCalled(fleet, 10);
    await postgres.stop();
    await sleep(7000);
    const before = transactions(fleet);
    await postgres.start();
    await Promise.all(workers.map((one) => one.ended));
    expect(transactions(fleet)).toBeGreaterThan(before);
    expect(fleet.wrongBalances()).toEqual([]);
    const history = await historyOf(fleet, database);
    expect((await jobsOf(history)).map(({ state }) => state)).toEqual(['done', 'done']);
    const runs = await history.selectFrom('run').select('ext_cid').execute();
    expect(runs.map(({ ext_cid }) => ext_cid).toSorted()).toEqual(fleet.names);
  }, 120_000);

  it('does not keep a worker from ending after SIGTERM, and another worker settles and repeats its run', async () => {
    const fleet = await fleetOf(1);
    const database = await postgres.create('ending');
    const first = worker(fleet, ['--database', database]);
    await untilCalled(fleet, 5);
    await postgres.stop();
    first.signal('SIGTERM');
    expect((await first.ended).status).toBe(143);
    await postgres.start();
    expect((await worker(fleet, ['--database', database]).ended).status).toBe(0);
    expect(fleet.wrongBalances()).toEqual([]);
    const history = await historyOf(fleet, database);
    expect(await jobsOf(history)).toEqual([{ operator: 'operator-000', state: 'done', attempts: 2 }]);
  }, 120_000);

  it('keeps a finished run until it can be stored', async () => {
    const fleet = await fleetOf(1);
    const database = await postgres.create('finished');
    const history = await historyOf(fleet, database);
    // The end of a run needs this table, but a run in progress does not.
    const own = worker(fleet, ['--database', database]);
    await untilCalled(fleet, 5);
    await history.schema.alterTable('rule_result').renameTo('rule_result_away').execute();
    while ((await jobsOf(history)).length === 0 || !(await isWaitingForTable(history))) await sleep(100);
    const before = transactions(fleet);
    await history.schema.alterTable('rule_result_away').renameTo('rule_result').execute();
    const { status } = await own.ended;
    expect([status, transactions(fleet)]).toEqual([0, before]);
    expect(await jobsOf(history)).toEqual([{ operator: 'operator-000', state: 'done', attempts: 1 }]);
  }, 120_000);
});

/** True if the journal of the run has its last event, so that only its result is not stored yet. */
async function isWaitingForTable(history: History): Promise<boolean> {
  const parts = await history
    .selectFrom('job_journal_part')
    .select('content')
    .orderBy('part', 'desc')
    .limit(1)
    .execute();
  return parts.some(({ content }) => content.includes('"event":"run-ended"'));
}
