import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Database } from '../../../../src/sqlite/database.ts';
import { croupier, line, start } from '../../croupier.ts';
import { demoOperator } from '../../demo-operator.ts';

it('runs that end at the same time all add themselves to a new history', async () => {
  const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-history-'));
  await demoOperator(cwd);
  // Each run has its own player, so that no run waits for another one.
  const SESSIONS = [
    'anna-usd-catch',
    'ben-eur',
    'carla-usd',
    'daichi-jpy',
    'emil-kwd',
    'farah-btc',
    'ines-usd',
    'jan-eur',
  ];
  const runOf = (session: string) => {
    const [player, currency] = session.toUpperCase().split('-');
    const own = `eu-${session},player=${player},currency=${currency}`;
    return ['run', '--client', 'demo-eu', '--session', own, 'balance/read', '--linger', '10ms'];
  };
  const ended = await Promise.all(SESSIONS.map((session) => croupier(runOf(session), { cwd })));
  expect(ended.map(({ status, err }) => [status, err])).toEqual(ended.map(() => [0, '']));
  const { runs } = JSON.parse((await croupier(['history', '--json'], { cwd })).out) as { runs: { number: number }[] };
  expect(runs.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  rmSync(cwd, { recursive: true });
}, 60_000);

it('a run adds itself to the history, even if another process uses the file for longer than one attempt waits', async () => {
  const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-history-'));
  await demoOperator(cwd);
  const run = ['run', '--client', 'demo-eu', 'balance/read', '--linger', '10ms'];
  await croupier(run, { cwd });
  const other = new Database(path.join(cwd, '.croupier/history.sqlite'), { isChecked: false });
  other.run('BEGIN IMMEDIATE');
  const child = start(run, { cwd });
  const end = once(child, 'close');
  await line(child, 'Exit status');
  await sleep(5000);
  other.run('COMMIT');
  other.close();
  expect(await end).toEqual([0, null]);
  const { runs } = JSON.parse((await croupier(['history', '--json'], { cwd })).out) as { runs: { number: number }[] };
  expect(runs.map(({ number }) => number)).toEqual([2, 1]);
  rmSync(cwd, { recursive: true });
}, 60_000);
