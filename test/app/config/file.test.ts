import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/app/config/file.ts';
import { renderDiagnostic } from '../../../src/scenario/yaml/diagnostic.ts';

const BROKEN = path.resolve(import.meta.dirname, '../../../fixtures/config/broken');
const CASES = readdirSync(BROKEN).filter((name) => name.endsWith('.yaml'));

function diagnosticsAbout(name: string): string {
  const reading = readConfig(name, readFileSync(path.join(BROKEN, name), 'utf8'), { ACME_KEY: 'k-from-environment' });
  const diagnostics = reading.kind === 'broken' ? reading.diagnostics : [];
  return `${diagnostics.map(renderDiagnostic).join('\n\n')}\n`;
}

function read(text: string, env: Readonly<Record<string, string>> = {}) {
  const reading = readConfig('croupier.yaml', text, env);
  if (reading.kind === 'broken') throw new Error(reading.diagnostics.map(renderDiagnostic).join('\n'));
  return reading.file;
}

const CLIENT = `clients:
  - extCID: acme-eu
    integratorBaseUrl: "\${BASE}/eu"
    integrationApiKey: \${ACME_KEY}
    headers: { Authorization: "Basic \${GATEWAY}" }
    sessions: [{ sessionID: eu-1 }]
`;

describe('a broken configuration', () => {
  it.each(CASES)('%s gives exactly the diagnostics of its golden file', async (name) => {
    await expect(diagnosticsAbout(name)).toMatchFileSnapshot(path.join(BROKEN, name.replace(/\.yaml$/, '.txt')));
  });

  it('gives diagnostics for any text, and never throws', () => {
    expect(CASES.filter((name) => diagnosticsAbout(name).trim() === '')).toEqual([]);
  });

  it('never shows a literal key in a diagnostic', () => {
    expect(diagnosticsAbout('written-out-key.yaml')).not.toContain('do-not-show-me');
  });
});

describe('a configuration', () => {
  it('gets its variables from the environment', () => {
    const { config, unset, secrets } = read(CLIENT, {
      BASE: 'https://wallet.example',
      ACME_KEY: 'a-key',
      GATEWAY: 'pass',
    });
    expect(config.clients?.[0]).toMatchObject({
      integratorBaseUrl: 'https://wallet.example/eu',
      integrationApiKey: 'a-key',
    });
    expect(unset).toEqual([]);
    expect([...secrets].sort()).toEqual(['a-key', 'pass']);
  });

  it('reports unset variables with their place and their client', () => {
    const { unset } = read(CLIENT, { BASE: 'https://wallet.example', ACME_KEY: '' });
    expect(unset.map(({ client, diagnostic }) => [client, diagnostic.line, diagnostic.message])).toEqual([
      [0, 4, 'the environment has no ACME_KEY'],
      [0, 5, 'the environment has no GATEWAY'],
    ]);
  });

  it('warns about a literal key without showing it', () => {
    const { warnings, secrets } = read(CLIENT.replace('${ACME_KEY}', 'written-out'), {
      BASE: 'http://x',
      GATEWAY: 'pass',
    });
    expect(warnings).toHaveLength(1);
    expect(warnings.map(renderDiagnostic).join('\n')).not.toContain('written-out');
    expect(secrets).toContain('written-out');
  });

  it('does not warn about a key in a separate file', () => {
    const { warnings } = read(CLIENT.replace('${ACME_KEY}', '{ file: ./key }'), { BASE: 'http://x', GATEWAY: 'pass' });
    expect(warnings).toEqual([]);
  });

  it('may be empty', () => {
    expect(read('').config).toEqual({});
    expect(read('# nothing yet\n').config).toEqual({});
  });
});
