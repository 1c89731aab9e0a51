import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { croupier, type Ended, line, start } from '../../croupier.ts';

const TX = '5d2b7e1a-3f0c-4c5e-9a7b-0d1e2f3a4b5c';
const ROUND = '7d0f1b2c-3d4e-4f5a-8b6c-7d8e9f0a1b2c';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

it.each([
  ['none (the reference operator)', [], [], /$/],
  ['a bet that is charged again', ['replayed-bet-charged'], ['known bet', 'bet'], /idempotency\.bet.*MUST fail/],
  ['half a refund', ['refund-half'], ['refund'], /refund\.restore.*MUST fail/],
  ['a win that is paid again', ['replayed-win-paid'], ['win'], /idempotency\.win.*MUST fail/],
  ['a refund that is paid again', ['replayed-refund-paid'], ['refund'], /idempotency\.refund.*MUST fail/],
] as const)('calls by hand judge rightly an operator with the fault: %s', async (_what, defects, failing, logged) => {
  const child = start(
    ['serve', 'operator', '--write-config', 'croupier.yaml', ...defects.flatMap((name) => ['--defect', name])],
    { cwd },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  await line(child, 'operator ');
  const hand = (...args: readonly string[]): Promise<Ended> =>
    croupier(['call', ...args, '--client', 'demo-eu', '--linger', '50ms', '--repeat', '3', '--round', ROUND], {
      cwd,
    });
  const made = [
    ['known bet', await hand('bet', '--tx-id', TX, '--amount', '4.00')],
    ['refund', await hand('refund', '--orig-tx-id', TX, '--amount', '4.00')],
    ['bet', await hand('bet', '--amount', '4.00')],
    ['win', await hand('win', '--amount', '6.00')],
  ] as const;
  const failed = made.filter(([, { status }]) => status !== 0);
  expect(failed.map(([name]) => name)).toEqual(failing);
  for (const [, { status, out }] of failed) {
    expect(status).toBe(1);
    expect(out).toMatch(logged);
  }
});
