import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';
import { demoOperator } from '../../demo-operator.ts';

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

describe('croupier doctor', () => {
  it('checks every client without moving money, and reports an unreachable one', async () => {
    const operator = await demoOperator(cwd);
    const before = operator.books();
    const well = await croupier(['doctor'], { cwd });
    expect(well).toMatchObject({ status: 0, err: '' });
    expect(well.out.match(/You need not fix anything before a run/g)).toHaveLength(2);
    expect(well.out).toMatch(/✓ key /);
    expect(operator.books()).toEqual(before);

    const keyless = await croupier(['doctor', '--client', 'demo-eu'], {
      cwd,
      env: { CROUPIER_KEY: 'not-the-right-key' },
    });
    expect(keyless.status).toBe(1);
    expect(keyless.out).toMatch(/✗ key .*401/);
    expect(keyless.out).toContain('Fix first: key.');
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

  it('refuses flags and files that it cannot use', async () => {
    const nobody = await croupier(['doctor'], { cwd });
    expect(nobody.status).toBe(2);
    expect(nobody.err).toContain('--base-url');
    writeFileSync(path.join(cwd, 'croupier.yaml'), 'clients: 7\n');
    const wrong = await croupier(['doctor'], { cwd });
    expect(wrong.status).toBe(2);
    const clientFlags = [
      '--config',
      '/dev/null',
      '--base-url',
      'https://127.0.0.1:9',
      '--ext-cid',
      'a',
      '--session',
      's-1',
    ];
    const env = { CROUPIER_KEY: 'a key that is none' };
    const unusable = await croupier(['doctor', ...clientFlags, '--proxy', 'ftp://x'], { cwd, env });
    expect(unusable).toMatchObject({ status: 2, out: '' });
    expect(unusable.err).not.toContain('    at ');
  });

  it('opens sessions as a run does, and explains why it has no sessions', async () => {
    await demoOperator(cwd);
    const config = path.join(cwd, 'croupier.yaml');
    const text = readFileSync(config, 'utf8');
    const [, sessionID = ''] = /sessionID: "?([\w-]+)/.exec(text) ?? [];
    const from = (print: string): string =>
      text
        .replaceAll(/^ +- \{ sessionID.*\n/gm, '')
        .replaceAll(/^( +)sessions:.*$/gm, `$1sessionsFrom: { command: [echo, '${print}'] }`);
    writeFileSync(config, from(`[{"sessionID":"${sessionID}"}]`));
    const opened = await croupier(['doctor', '--client', 'demo-eu'], { cwd });
    expect(opened.out).toContain(`session         ${sessionID} has`);
    writeFileSync(config, from('nothing'));
    const none = await croupier(['doctor', '--client', 'demo-eu', '--json'], { cwd });
    const said = JSON.parse(none.out) as Said;
    const schema = JSON.parse((await croupier(['schema', 'doctor'], { cwd })).out) as object;
    const validate = new Ajv2020({ strict: false }).compile(schema);
    validate(said);
    expect(validate.errors).toBeNull();
    expect(validate({ ...said, exitCode: 2 })).toBe(false);
    expect([none.status, said.clients[0]?.mendFirst?.name]).toEqual([1, 'session']);
    expect(none.out).toContain('did not give JSON');
  });

  it('escapes control characters in texts of the operator', async () => {
    const clientFlags = ['--base-url', 'http://127.0.0.1:9', '--ext-cid', 'a\u001B[31mb', '--session', 's-1'];
    const { out } = await croupier(['doctor', ...clientFlags], { cwd, env: { CROUPIER_KEY: 'a key that is none' } });
    expect(out).toContain('a\\x1b[31mb');
  });
});
