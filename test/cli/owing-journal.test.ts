import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEY, operatorServer, P1 } from '../engine/operator-server.ts';
import { croupier, ended, start } from './croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  writeFileSync(
    path.join(cwd, 'mine.yaml'),
    'title: Mine\nrules: [bet.debit]\nsteps:\n  - bet:\n  - balance:\n  - bet:\n',
  );
  const body = '{"sessionID":"s1","amount":"1.00","currency":"USD","txID":"t-1","roundID":"r-1","type":"regular"}';
  writeFileSync(path.join(cwd, 'bet.txt'), `curl -X POST http://wallet.example/bet -d '${body}'\n`);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const env = { CROUPIER_KEY: KEY };
const bytes = () => readFileSync(path.join(cwd, 'run.ndjson'), 'utf8');

describe('the journal of a killed run', () => {
  it('is not overwritten until it is settled', async () => {
    let isKilled = false;
    const operator = await operatorServer(({ call, number }, tell) => {
      if (isKilled || call !== 'bet' || number < 2) return tell();
      isKilled = true;
      child.kill('SIGKILL');
      return null;
    });
    const client = ['--base-url', operator.url, '--ext-cid', 'acme', '--session', `${P1.sessionID},currency=USD`];
    const test = client.map((arg) => (arg === '--session' ? '--test-session' : arg));
    const run = ['run', 'mine.yaml', '--allow-skipped', '--linger', '10ms', '--journal', 'run.ndjson', ...client];
    const child = start(run, { cwd, env });
    await ended(child);
    const [journal, calls] = [bytes(), operator.calls.length];
    writeFileSync(path.join(cwd, 'other.ndjson'), journal);

    for (const args of [
      run,
      ['explore', '--runs', '1', '--journal', 'run.ndjson', ...client],
      ['replay', 'bet.txt', '--journal', 'run.ndjson', ...test],
      [...run.slice(0, 5), '--report', 'json=run.ndjson', ...client],
      ['report', 'convert', 'other.ndjson', '--to', 'json=run.ndjson'],
    ]) {
      const { status, out, err } = await croupier(args, { cwd, env });
      expect({ status, out }).toEqual({ status: 2, out: '' });
      expect(err).toContain('run.ndjson is the journal of an earlier run that still owes');
      expect(err).toContain('Nothing was sent.\nSettle it with: croupier settle run.ndjson\n');
    }
    expect([bytes(), operator.calls.length]).toEqual([journal, calls]);

    expect((await croupier(['settle', 'run.ndjson', ...client], { cwd, env })).status).toBe(0);
    expect((await croupier(run, { cwd, env })).status).toBe(0);
    expect((await croupier(run, { cwd, env })).status).toBe(0);
  }, 60_000);
});
