import type { ChildProcess } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openExistingHistory, openHistoryAt } from '../../../../src/history/history.ts';
import { addJobs } from '../../../../src/history/jobs.ts';
import { simulatedFleet, startWorker } from '../../../fleet/simulated-fleet.ts';
import { croupier, line, start } from '../../croupier.ts';

let cwd = '';
let operator: ChildProcess;
beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-work-'));
  operator = start(['serve', 'operator', '--write-config', 'croupier.yaml', '--defect', 'refund-half'], { cwd });
  await line(operator, 'operator ');
  appendFileSync(path.join(cwd, 'croupier.yaml'), '\nlinger: 10ms\n');
});
afterAll(() => {
  operator.kill('SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

/** The runs of the history, oldest first. */
async function runs(): Promise<readonly { extCID: string; verdict: string; build: string | null }[]> {
  const { out } = await croupier(['history', 'list', '--json'], { cwd });
  return (JSON.parse(out) as { runs: { extCID: string; verdict: string; build: string | null }[] }).runs.toReversed();
}

describe('croupier fleet work', () => {
  it('judges each operator once for each due time, also if several workers run', async () => {
    writeFileSync(
      path.join(cwd, 'fleet.yaml'),
      `schedule: "0 3 * * *"
operators:
  - { name: eu, config: croupier.yaml, client: demo-eu, select: [refund/restore], build: { command: [echo, b7] } }
  - { name: asia, config: croupier.yaml, client: demo-asia, select: [balance/read] }
`,
    );
    const workers = await Promise.all([1, 2].map(() => croupier(['fleet', 'work', '--until-idle'], { cwd })));
    expect(workers.map(({ err }) => err)).toEqual(Array.from({ length: 2 }, () => 'Working for 2 operators …\n'));
    // The operator with a defect gives status 1 to the worker that judged it.
    expect(workers.map(({ status }) => status)).toContain(1);
    const printed = workers.flatMap(({ out }) => out.split('\n')).filter((text) => text !== '');
    expect(printed.toSorted()).toEqual([
      expect.stringMatching(/^asia {2}0 {2}CONFORMING: demo-asia /u),
      expect.stringMatching(/^eu {4}1 {2}NOT CONFORMING: demo-eu breaks 1 of /u),
    ]);
    expect((await runs()).toSorted((a, b) => (a.extCID < b.extCID ? -1 : 1))).toMatchObject([
      { extCID: 'demo-asia', verdict: 'conforming', build: null },
      { extCID: 'demo-eu', verdict: 'nonconforming', build: 'b7' },
    ]);
    const short = await croupier(['fleet', 'work', '--lease', '10ms'], { cwd });
    expect([short.status, short.err]).toEqual([2, expect.stringContaining('--lease must be at least 1s')]);
    const again = await croupier(['fleet', 'work', '--until-idle'], { cwd });
    expect([again.status, again.out]).toEqual([0, '']);
    expect(readdirSync(path.join(cwd, '.croupier')).filter((name) => name.endsWith('.ndjson'))).toHaveLength(2);
  }, 60_000);
});

describe('a job', () => {
  it('is given up after ten attempts that ended before the end of the run', async () => {
    const fleet = await simulatedFleet(1, ['balance/read']);
    onTestFinished(() => fleet.close());
    const [operatorName = ''] = fleet.names;
    const history = await openHistoryAt({ dir: fleet.cwd, database: undefined });
    // No later time is due during the test.
    await addJobs(history, [{ operator: operatorName, extCID: operatorName, dueAt: '2099-01-01T03:00:00.000Z' }]);
    await history.updateTable('job').set({ attempts: 10 }).execute();
    await history.destroy();
    const { status, out } = await croupier(['fleet', 'work', '--until-idle'], fleet);
    expect([status, out]).toEqual([70, 'operator-000  70  10 attempts ended before the end of the run\n']);
    expect(fleet.operatorOf(operatorName).transactionsOf(operatorName)).toEqual([]);
  });
});

describe('a worker that is killed', () => {
  it('loses its run to the next worker, which settles the run before it repeats it', async () => {
    const fleet = await simulatedFleet(1, ['bet/debit'], 20);
    onTestFinished(() => fleet.close());
    const [name = ''] = fleet.names;
    const first = startWorker(['--lease', '1s'], fleet);
    while (fleet.operatorOf(name).transactionsOf(name).length < 1) await sleep(10);
    first.signalAll('SIGKILL');
    await first.ended;
    const second = await startWorker(['--until-idle', '--lease', '5s'], fleet).ended;
    expect([second.status, second.out]).toEqual([0, expect.stringMatching(/^operator-000 {2}0 {2}CONFORMING: /u)]);
    expect(fleet.wrongBalances()).toEqual([]);
    const history = await openExistingHistory({ dir: fleet.cwd, database: undefined });
    if (!history) throw new Error('there is no history');
    onTestFinished(() => history.destroy());
    const jobs = await history.selectFrom('job').select(['state', 'attempts', 'run']).execute();
    expect(jobs).toEqual([{ state: 'done', attempts: 2, run: 1 }]);
    expect(await history.selectFrom('job_journal').select('id').execute()).toEqual([]);
    // The journal of the killed run shows its settlement.
    const journals = readdirSync(path.join(fleet.cwd, '.croupier')).filter((file) => file.endsWith('.ndjson'));
    const texts = journals.map((file) => readFileSync(path.join(fleet.cwd, '.croupier', file), 'utf8'));
    expect(
      texts.filter((text) => text.includes('croupier settle has sent the calls that the run still owed')),
    ).toHaveLength(1);
  }, 60_000);
});
