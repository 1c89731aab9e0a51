import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { line, start } from '../cli/croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLES = path.join(ROOT, 'examples');
/** The folder of a user's project, in which croupier and vitest are installed. */
const folder = mkdtempSync(path.join(tmpdir(), 'croupier-library-example-'));
beforeAll(() => {
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
  symlinkSync(ROOT, path.join(modules, 'croupier-conformance'));
  symlinkSync(path.join(ROOT, 'node_modules', 'vitest'), path.join(modules, 'vitest'));
  for (const name of ['vitest.test.ts', 'node.test.ts'])
    copyFileSync(path.join(EXAMPLES, name), path.join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly ok: boolean;
  readonly said: string;
}

/**
 * Runs a test of the user's project. The variables of this test run are not passed on, because vitest would take itself for a
 * part of it.
 */
function runTest(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const { PATH, HOME } = process.env;
  const options = { cwd: folder, env: { PATH, HOME, NO_COLOR: '1', ...env } };
  return promisify(execFile)(process.execPath, args, options).then(
    ({ stdout, stderr }) => ({ ok: true, said: stdout + stderr }),
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ ok: false, said: stdout + stderr }),
  );
}

it('contain a test for vitest that passes for a correct wallet, and else fails and shows the report', {
  timeout: 60_000,
}, async () => {
  const wallet = spawn(process.execPath, [path.join(EXAMPLES, 'operator.ts')], {
    env: { PATH: process.env.PATH, INTEGRATION_API_KEY: 'a-key-of-the-test' },
  });
  onTestFinished(() => void wallet.kill('SIGKILL'));
  const port = /"port":(\d+)/.exec(await line(wallet, 'operator'))?.[1] ?? '';
  const args = ['node_modules/vitest/vitest.mjs', 'run', 'vitest.test.ts'];
  const WALLET_URL = `http://127.0.0.1:${port}`;
  const passed = await runTest(args, { WALLET_URL, INTEGRATION_API_KEY: 'a-key-of-the-test' });
  expect(passed).toMatchObject({ ok: true, said: expect.stringContaining('1 passed') });
  const failed = await runTest(args, { WALLET_URL, INTEGRATION_API_KEY: 'another-key-of-the-test' });
  expect(failed).toMatchObject({ ok: false, said: expect.stringContaining('signature.accepted') });
  expect(failed.said).not.toContain('another-key-of-the-test');
});

it.each([
  { flags: [], ok: true, says: 'pass 1' },
  { flags: ['--defect', 'refund-half'], ok: false, says: 'NOT CONFORMING' },
])('are a test with node:test ($says)', { timeout: 60_000 }, async ({ flags, ok, says }) => {
  const operator = start(['serve', 'operator', '--write-config', 'croupier.yaml', ...flags], { cwd: folder });
  onTestFinished(() => void operator.kill('SIGKILL'));
  await line(operator, 'operator ');
  const ended = await runTest(['--test', 'node.test.ts']);
  expect(ended).toMatchObject({ ok, said: expect.stringContaining(says) });
});
