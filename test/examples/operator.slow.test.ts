import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { croupier } from '../cli/croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples', 'operator.ts');
const folder = mkdtempSync(path.join(tmpdir(), 'croupier-example-'));
let running: ChildProcess | undefined;
afterEach(() => {
  running?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

it('the example of an operator has less than 100 lines and conforms', { timeout: 120_000 }, async () => {
  expect(readFileSync(EXAMPLE, 'utf8').split('\n').length).toBeLessThan(100);
  running = spawn(process.execPath, [EXAMPLE], {
    env: { PATH: process.env.PATH, INTEGRATION_API_KEY: 'a-key-of-the-test' },
  });
  const port = await new Promise<string>((resolve) => {
    running?.stdout?.setEncoding('utf8').on('data', (text: string) => resolve(/"port":(\d+)/.exec(text)?.[1] ?? ''));
  });
  const flags = ['--base-url', `http://127.0.0.1:${port}`, '--ext-cid', 'example', '--linger', '300ms', '--json'];
  const { status, out, err } = await croupier(
    ['run', ...flags, '--session', 'session-of-eva,player=eva,currency=USD'],
    { cwd: folder, env: { CROUPIER_KEY: 'a-key-of-the-test' } },
  );
  expect(err).not.toContain('bug');
  const report = JSON.parse(out) as { verdict: string; rules: { id: string; verdict: string }[] };
  expect(report.rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')).toEqual([]);
  expect([report.verdict, status]).toEqual(['conforming', 0]);
});
