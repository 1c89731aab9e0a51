import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestsOf } from '../../src/app/run/digests.ts';
import type { RunSettings } from '../../src/app/run/settings.ts';
import { isWhole } from '../../src/app/selection.ts';
import { loadSuite } from '../../src/app/suite.ts';
import type { ClientUnderTest } from '../../src/engine/run-options.ts';

const BUILT_IN = path.resolve(import.meta.dirname, '../../scenarios');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  cpSync(BUILT_IN, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const load = () => loadSuite([{ path: folder, builtIn: true, idsFrom: folder }], folder, () => 'uuid');
const client = (more: Partial<ClientUnderTest> = {}): ClientUnderTest => ({
  extCID: 'acme',
  integratorBaseUrl: 'http://127.0.0.1:4000',
  integrationApiKey: 'key',
  paths: {},
  headers: { Authorization: 'secret' },
  sessions: [{ sessionID: 's-1', player: 'p-1', currency: 'EUR' }],
  wire: {},
  ...more,
});
const settings = { seed: 'a', strict: false } as RunSettings;
const digests = (scenarios = load().scenarios, of = client(), more: Partial<RunSettings> = {}) =>
  digestsOf({ client: of, scenarios, settings: { ...settings, ...more }, required: [], baseline: undefined });

describe('the built-in suite', () => {
  it('is whole only as it was released', () => {
    const released = load();
    expect([released.changes, isWhole(released, released.scenarios)]).toEqual([undefined, true]);
    appendFileSync(path.join(folder, 'bet/debit.yaml'), '# changed\n');
    rmSync(path.join(folder, 'win/zero.yaml'));
    writeFileSync(path.join(folder, 'ours.yaml'), 'croupier: 1\ntitle: Ours\nsteps:\n  - balance:\n');
    const changed = load();
    expect(changed.changes).toEqual({ changed: ['bet/debit', 'ours'], missing: ['win/zero'] });
    expect(isWhole(changed, changed.scenarios)).toBe(false);
  });

  it('has another digest if the contents of a scenario differ, and the same one in any order', () => {
    const before = digests();
    expect(digests(load().scenarios.toReversed())).toEqual(before);
    appendFileSync(path.join(folder, 'bet/debit.yaml'), '# changed\n');
    const after = digests();
    expect(after).toEqual({ ...before, suite: after.suite });
    expect(after.suite).not.toBe(before.suite);
  });
});

describe('the digest of the settings', () => {
  it('changes with the settings and the sessions, but not with the seed, the address, ids, or values of headers', () => {
    const [scenario] = load().scenarios;
    const of = (one: ClientUnderTest, more: Partial<RunSettings> = {}) =>
      digests(scenario ? [scenario] : [], one, more).config;
    const before = of(client());
    const other = client({
      integratorBaseUrl: 'http://127.0.0.1:5000',
      integrationApiKey: 'other',
      headers: { Authorization: 'other' },
      sessions: [{ sessionID: 's-2', player: 'p-2', currency: 'EUR' }],
    });
    expect(of(other, { seed: 'b' })).toBe(before);
    expect(of(client(), { strict: true })).not.toBe(before);
    expect(of(client({ sessions: [{ sessionID: 's-1', player: 'p-1', currency: 'JPY' }] }))).not.toBe(before);
    expect(of(client({ headers: { 'X-Other': 'secret' } }))).not.toBe(before);
  });
});
