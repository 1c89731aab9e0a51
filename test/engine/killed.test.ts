import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { croupier, ended, start } from '../cli/croupier.ts';
import { KEY, operatorServer, P1 } from './operator-server.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

it('a run that is killed during a call leaves a journal from which the run can be reported and settled', async () => {
  const { url } = await operatorServer(({ call, number }, tell) => {
    if (call !== 'bet' || number < 4) return tell();
    child.kill('SIGKILL');
    return null;
  });
  writeFileSync(
    path.join(cwd, 'mine.yaml'),
    'title: Mine\nrules: [bet.debit]\nsteps:\n  - bet:\n  - balance:\n  - bet:\n  - balance:\n  - bet:\n',
  );
  const clientFlags = ['--base-url', url, '--ext-cid', 'acme', '--session', `${P1.sessionID},currency=USD`];
  const child = start(['run', 'mine.yaml', '--journal', 'run.ndjson', ...clientFlags], {
    cwd,
    env: { CROUPIER_KEY: KEY },
  });
  expect((await ended(child)).status).toBeNull();

  const lines = readFileSync(path.join(cwd, 'run.ndjson'), 'utf8').trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ event: 'sending', call: 'bet' });
  expect(lines.join('\n')).not.toContain(KEY);
  const { status, out } = await croupier(['report', 'convert', 'run.ndjson', '--to', 'json=-'], { cwd });
  expect(status).toBe(0);
  const report = JSON.parse(out) as {
    verdict: string;
    exitCode: number;
    scenarios: readonly { exchanges: readonly unknown[] }[];
  };
  expect(report).toMatchObject({ verdict: 'undecided', exitCode: 3 });
  expect(report.scenarios[0]?.exchanges.length).toBeGreaterThan(3);
});
