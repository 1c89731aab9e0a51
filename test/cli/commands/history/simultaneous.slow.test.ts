import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';
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
