import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_KEYS } from '../../src/app/config/schema.ts';
import { croupier } from './croupier.ts';

const CONFIG = `clients:
  - extCID: acme-eu
    integratorBaseUrl: https://\${HOST}.example/eu
    integrationApiKey: \${ACME_EU_KEY}
    headers: { X-Gateway: gateway-secret }
    sessions:
      - { sessionID: eu-usd-1, player: p1 }
  - extCID: acme-us
    integratorBaseUrl: https://w.staging.example/us
    integrationApiKey: { file: key.txt }
    sessions: [{ sessionID: us-1 }]
deadline: 4s
proxy: http://user:proxy-secret@127.0.0.1:1
`;

let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-print-config-'));
  writeFileSync(path.join(cwd, 'croupier.yaml'), CONFIG);
});

afterAll(() => rmSync(cwd, { recursive: true }));

interface Setting {
  readonly name: string;
  readonly value: string;
  readonly from: string;
  readonly where: string | null;
}

async function printed(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, out } = await croupier([...args, '--print-config', '--json'], { cwd, env });
  expect(status).toBe(0);
  const { file, settings } = JSON.parse(out) as { file: string | null; settings: readonly Setting[] };
  return { out, file, of: (name: string) => settings.find((one) => one.name === name) };
}

describe('--print-config', () => {
  it('shows the source of each value: flag before environment before file before default', async () => {
    const { of, file } = await printed(['run', '--client', 'acme-eu', '--session', 's1'], {
      CROUPIER_LINGER: '1s',
      CROUPIER_STRICT: '1',
      ACME_EU_KEY: 'acme-secret',
      HOST: 'wallet',
    });
    expect(file).toBe('croupier.yaml');
    expect(of('deadline')).toEqual({ name: 'deadline', value: '4s', from: 'file', where: 'croupier.yaml:12' });
    expect(of('linger')).toMatchObject({ value: '1000ms', from: 'environment', where: 'CROUPIER_LINGER' });
    expect(of('strict')).toMatchObject({ value: 'true', where: 'CROUPIER_STRICT' });
    expect(of('workers')).toEqual({ name: 'workers', value: '10', from: 'default', where: null });
    expect(of('acme-eu: sessions')).toMatchObject({ value: 's1', from: 'flag', where: '--session' });
    expect(of('acme-eu: sessions[0].sessionID')).toBeUndefined();
    expect(of('acme-eu: integratorBaseUrl')).toMatchObject({
      value: 'https://wallet.example/eu',
      where: 'croupier.yaml:3, HOST',
    });
    expect(of('acme-us: integratorBaseUrl')).toBeUndefined();
  });

  it('shows every key of the file, with its default if nothing sets it', async () => {
    const { of } = await printed(['run', '--client', 'acme-us'], { CROUPIER_GITHUB: '0' });
    const keys = Object.keys(CONFIG_KEYS).filter((key) => key !== 'clients' && key !== 'logs');
    expect(keys.filter((key) => of(key) === undefined)).toEqual([]);
    expect(of('acme-us: production')).toMatchObject({ value: 'croupier guesses from the address', from: 'default' });
    expect(of('--retries')).toMatchObject({ value: '(not given)', from: 'default' });
    expect(of('CROUPIER_GITHUB')).toMatchObject({ value: '0', from: 'environment' });
  });

  it('shows no secret', async () => {
    const { out, of } = await printed(['call', 'bet', '--client', 'acme-eu'], {
      ACME_EU_KEY: 'acme-secret',
      HOST: 'wallet',
    });
    expect(out).not.toMatch(/-secret/);
    expect(of('acme-eu: integrationApiKey')).toMatchObject({
      value: '(hidden)',
      where: 'croupier.yaml:4, ACME_EU_KEY',
    });
  });

  it('names the variables that the environment lacks', async () => {
    const { of } = await printed(['run']);
    expect(of('acme-eu: integratorBaseUrl')?.value).toBe('the environment has no HOST');
    expect(of('acme-us: integrationApiKey.file')?.value).toBe('key.txt');
  });

  it('prints a table as text, and says that there is no file', async () => {
    const { out } = await croupier(['run', '--print-config'], { cwd: tmpdir() });
    expect(out).toMatch(/^There is no croupier\.yaml in this folder\.\n/);
    expect(out).toMatch(/^deadline +5s +default$/m);
  });
});
