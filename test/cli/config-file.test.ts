import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config-file.ts';
import { renderComplaint } from '../../src/scenario/complaint.ts';

const BROKEN = path.resolve(import.meta.dirname, '../../fixtures/config/broken');
const CASES = readdirSync(BROKEN).filter((name) => name.endsWith('.yaml'));

function complaintsAbout(name: string): string {
  const reading = readConfig(name, readFileSync(path.join(BROKEN, name), 'utf8'), { ACME_KEY: 'k-from-environment' });
  const complaints = reading.kind === 'broken' ? reading.complaints : [];
  return `${complaints.map(renderComplaint).join('\n\n')}\n`;
}

function read(text: string, env: Readonly<Record<string, string>> = {}) {
  const reading = readConfig('croupier.yaml', text, env);
  if (reading.kind === 'broken') throw new Error(reading.complaints.map(renderComplaint).join('\n'));
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
  it.each(CASES)('%s is complained about to the letter', async (name) => {
    await expect(complaintsAbout(name)).toMatchFileSnapshot(path.join(BROKEN, name.replace(/\.yaml$/, '.txt')));
  });

  it('is complained about whatever the file', () => {
    expect(CASES.filter((name) => complaintsAbout(name).trim() === '')).toEqual([]);
  });

  it('never shows a key that is written out in it', () => {
    expect(complaintsAbout('written-out-key.yaml')).not.toContain('do-not-show-me');
  });
});

describe('a configuration', () => {
  it('takes its variables from the environment', () => {
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

  it('says which variables are unset, where, and for which client', () => {
    const { unset } = read(CLIENT, { BASE: 'https://wallet.example', ACME_KEY: '' });
    expect(unset.map(({ client, complaint }) => [client, complaint.line, complaint.message])).toEqual([
      [0, 4, 'the environment has no ACME_KEY'],
      [0, 5, 'the environment has no GATEWAY'],
    ]);
  });

  it('warns of a key that stands in it, without showing it', () => {
    const { warnings, secrets } = read(CLIENT.replace('${ACME_KEY}', 'written-out'), {
      BASE: 'http://x',
      GATEWAY: 'pass',
    });
    expect(warnings).toHaveLength(1);
    expect(warnings.map(renderComplaint).join('\n')).not.toContain('written-out');
    expect(secrets).toContain('written-out');
  });

  it('does not warn of a key in a file of its own', () => {
    const { warnings } = read(CLIENT.replace('${ACME_KEY}', '{ file: ./key }'), { BASE: 'http://x', GATEWAY: 'pass' });
    expect(warnings).toEqual([]);
  });

  it('may be empty', () => {
    expect(read('').config).toEqual({});
    expect(read('# nothing yet\n').config).toEqual({});
  });
});
