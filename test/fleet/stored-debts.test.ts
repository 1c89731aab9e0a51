import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { fleetStatus } from '../../src/fleet/status.ts';
import { openHistory } from '../../src/history/history.ts';
import { addJobs, addToJournal, beginJournal, takeJob } from '../../src/history/jobs.ts';
import { operatorChecked } from './operators.ts';

const KILLED = path.resolve(import.meta.dirname, '../../fixtures/journals/killed.ndjson');

it('a run owes something also if its journal is on a machine that has died, as soon as its lease has ended', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'croupier-stored-debts-'));
  const history = await openHistory(undefined);
  onTestFinished(async () => {
    await history.destroy();
    rmSync(dir, { recursive: true });
  });
  const operators = [operatorChecked('acme-eu', '0 3 * * *'), operatorChecked('other', '0 3 * * *')];
  const owed = async () => (await fleetStatus(operators, dir, history, new Date())).map((one) => one.owed);
  await addJobs(history, [{ operator: 'acme-eu', extCID: 'acme-eu', dueAt: '2026-11-20T03:00:00.000Z' }]);
  const job = (await takeJob(history, ['acme-eu'], 'far:42', 60_000)) ?? expect.fail('the job is free');
  const { id } = await beginJournal(history, job, '2026-11-20-093000-00000a.ndjson', 60_000);
  const content = readFileSync(KILLED, 'utf8');
  await addToJournal(history, job, { journal: id, part: 0, content, leaseMs: 60_000 });
  expect(await owed()).toEqual([[], []]);

  await history.updateTable('job').set({ lease_until: 0 }).execute();
  const journal = '.croupier/2026-11-20-093000-00000a.ndjson';
  const debt = { journal, items: expect.any(Number) as number, worker: 'far:42' };
  expect(await owed()).toEqual([[debt], []]);

  // The machine of the worker has the journal itself, so `croupier settle` can use it.
  mkdirSync(path.join(dir, '.croupier'));
  copyFileSync(KILLED, path.join(dir, journal));
  expect(await owed()).toEqual([[{ ...debt, worker: null }], []]);
});
