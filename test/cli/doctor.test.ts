import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from './croupier.ts';
import { demoOperator } from './demo-operator.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

interface Said {
  readonly exitCode: number;
  readonly clients: readonly {
    readonly extCID: string;
    readonly mendFirst: { readonly name: string } | null;
    readonly checks: readonly { readonly name: string; readonly state: string }[];
  }[];
}

describe('doctor', () => {
  it('looks at every client, moves nothing, and says so when it is gone', async () => {
    const operator = await demoOperator(cwd);
    const before = operator.books();
    const well = await croupier(['doctor'], { cwd });
    expect(well).toMatchObject({ status: 0, err: '' });
    expect(well.out.match(/Nothing stands in the way of a run/g)).toHaveLength(2);
    expect(well.out).toMatch(/✓ key /);
    expect(operator.books()).toEqual(before);

    const keyless = await croupier(['doctor', '--client', 'demo-eu'], {
      cwd,
      env: { CROUPIER_KEY: 'not-the-right-key' },
    });
    expect(keyless.status).toBe(1);
    expect(keyless.out).toMatch(/✗ key .*401/);
    expect(keyless.out).toContain('Mend first: key.');
    expect(keyless.out).not.toContain('not-the-right-key');

    await operator.stop();
    const gone = await croupier(['doctor', '--json', '--client', 'demo-eu'], { cwd });
    const said = JSON.parse(gone.out) as Said;
    expect([gone.status, said.exitCode]).toEqual([3, 3]);
    expect(said.clients).toMatchObject([{ extCID: 'demo-eu', mendFirst: { name: 'tcp' } }]);
    expect(said.clients[0]?.checks.find(({ name }) => name === 'key')?.state).toBe('not-tried');
    const keys = readFileSync(path.join(cwd, 'croupier.yaml'), 'utf8').matchAll(/integrationApiKey: *"?([\w-]{8,})/g);
    for (const [, key = 'none'] of keys) expect(gone.out + well.out).not.toContain(key);
  });

  it('complains about what it can do nothing with', async () => {
    const nobody = await croupier(['doctor'], { cwd });
    expect(nobody.status).toBe(2);
    expect(nobody.err).toContain('--base-url');
    writeFileSync(path.join(cwd, 'croupier.yaml'), 'clients: 7\n');
    const wrong = await croupier(['doctor'], { cwd });
    expect(wrong.status).toBe(2);
    const whom = ['--config', '/dev/null', '--base-url', 'https://127.0.0.1:9', '--ext-cid', 'a', '--session', 's-1'];
    const env = { CROUPIER_KEY: 'a key that is none' };
    const unusable = await croupier(['doctor', ...whom, '--proxy', 'ftp://x'], { cwd, env });
    expect(unusable).toMatchObject({ status: 2, out: '' });
    expect(unusable.err).not.toContain('    at ');
  });

  it('shows what others wrote without obeying it', async () => {
    const whom = ['--base-url', 'http://127.0.0.1:9', '--ext-cid', 'a\u001B[31mb', '--session', 's-1'];
    const { out } = await croupier(['doctor', ...whom], { cwd, env: { CROUPIER_KEY: 'a key that is none' } });
    expect(out).toContain('a\\x1b[31mb');
  });
});
