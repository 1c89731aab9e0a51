import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';

it('runs that end at the same time all add themselves to a new history', async () => {
  const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-history-'));
  const RUN = ['run', '--reference', 'balance/read', '--linger', '10ms'];
  const ended = await Promise.all(Array.from({ length: 8 }, () => croupier(RUN, { cwd })));
  expect(ended.map(({ status, err }) => [status, err])).toEqual(ended.map(() => [0, '']));
  const { runs } = JSON.parse((await croupier(['history', '--json'], { cwd })).out) as { runs: { number: number }[] };
  expect(runs.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  rmSync(cwd, { recursive: true });
}, 60_000);
