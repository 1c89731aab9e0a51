import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openHistory } from '../../../../src/history/history.ts';
import { storedJournal } from '../../../../src/history/runs.ts';
import { croupier, EXECUTABLE, line, start } from '../../croupier.ts';
import { demoOperator } from '../../demo-operator.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const KEY = 'play-money-key-of-demo-eu';
const validate = new Ajv2020({ strict: false, allErrors: true }).compile(
  JSON.parse(readFileSync(new URL('../../../../schema/history.json', import.meta.url), 'utf8')) as object,
);

/** The JSON output of a command, which must fit the published schema. */
async function json<T>(args: readonly string[], cwd: string): Promise<T> {
  const { out, err, status } = await croupier([...args, '--json'], { cwd });
  expect([err, status]).toEqual(['', 0]);
  const value = JSON.parse(out) as T;
  validate(value);
  expect(validate.errors).toBeNull();
  return value;
}

describe('the history of a wallet that a new build breaks', () => {
  let cwd = '';
  const run = (build: string, ...more: readonly string[]) =>
    croupier(
      ['run', 'refund/restore', '--client', 'demo-eu', '--linger', '10ms', '--label', `build=${build}`, ...more],
      { cwd },
    );

  async function operator(...flags: readonly string[]): Promise<ChildProcess & { url: string }> {
    const child = start(['serve', 'operator', ...flags], { cwd });
    return Object.assign(child, { url: (await line(child, 'operator ')).replace('operator ', '') });
  }

  beforeAll(async () => {
    cwd = mkdtempSync(path.join(tmpdir(), 'croupier-history-'));
    const good = await operator('--write-config', 'croupier.yaml');
    await run('1', '--label', `note=${KEY}`);
    await run('1', '--report', 'json=one.json');
    good.kill('SIGTERM');
    await once(good, 'close');
    const { port } = new URL(good.url);
    const broken = await operator('--port', port, '--defect', 'refund-half');
    await run('2', '--report', 'html=broken.html');
    await croupier(['load', '--client', 'demo-eu', '--rate', '20', '--duration', '300ms', '--linger', '10ms'], { cwd });
    broken.kill('SIGTERM');
    await once(broken, 'close');
  }, 60_000);
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  it('lists each run with its verdict, its build and what changed since the run before', async () => {
    const { out, status } = await croupier(['history'], { cwd });
    expect(status).toBe(0);
    expect(out).toMatch(/^4 {2}[\d-]{10} [\d:]{5} UTC {2}\w+( \w+)? +demo-eu {2}load test$/mu);
    expect(out).toMatch(/^3 {2}[\d-]{10} [\d:]{5} UTC {2}NOT CONFORMING {2}demo-eu {2}build 2$/mu);
    expect(out).toMatch(/Since run 2: broken refund\.restore.*; different label build: 1\s+before, 2 now\./u);
    expect(out).toContain('The first run of its kind. CONFORMING');
  });

  it('says since which run and build the rule is broken', async () => {
    const { out } = await croupier(['history', 'rule'], { cwd });
    expect(out.replaceAll(/\s+/gu, ' ')).toMatch(
      /refund\.restore MUST .* BROKEN since run 3 \([^)]+, build 2\)\. It was not broken in run 2 \([^)]+, build 1\)\. Changed between them: build\. Its verdict never changed in 1 repeated run/u,
    );
    const { rules } = await json<{ rules: { state: string; since: { build: string }; runs: unknown[] }[] }>(
      ['history', 'rule', 'refund.restore', '--limit', '2'],
      cwd,
    );
    expect(rules).toMatchObject([{ state: 'broken', since: { build: '2' }, flakiness: 0, differences: ['build'] }]);
    expect(rules[0]?.runs).toHaveLength(2);
  });

  it('writes the same report as the journal, also when the journal is gone', async () => {
    const { runs } = await json<{ runs: { number: number; journal: string }[] }>(['history'], cwd);
    rmSync(path.join(cwd, runs.find(({ number }) => number === 2)?.journal ?? ''));
    expect((await croupier(['history', 'open', '2', '--to', 'json=again.json'], { cwd })).status).toBe(0);
    const read = (name: string): object => JSON.parse(readFileSync(path.join(cwd, name), 'utf8')) as object;
    const hidden = { journal: null };
    expect({ ...read('again.json'), ...hidden }).toEqual({ ...read('one.json'), ...hidden });
    const opened = await croupier(['history', 'open', 'latest'], { cwd });
    expect(opened.out).toBe('.croupier/run-4.html\n');
    expect(readFileSync(path.join(cwd, '.croupier/run-4.html'), 'utf8')).toContain('<!doctype html>');
    const printed = await croupier(['history', 'open', '4', '--to', 'json=-'], { cwd });
    expect(JSON.parse(printed.out)).toMatchObject({ format: 'croupier-load/1' });
  });

  it('shows the last runs of a broken rule in the HTML report of the run, and of its journal', async () => {
    const row = '✓✓✗</code> failed in 1 of the last 3 runs, but not in run 2, the one before';
    expect(readFileSync(path.join(cwd, 'broken.html'), 'utf8')).toContain(row);
    await croupier(['history', 'open', '3', '--to', 'html=again.html'], { cwd });
    expect(readFileSync(path.join(cwd, 'again.html'), 'utf8')).toContain(row);
  });

  it('compares two runs as report diff does', async () => {
    const { out, status } = await croupier(['history', 'diff', '1', '3'], { cwd });
    expect([status, out]).toEqual([1, expect.stringContaining('Broken\n  ✗ refund.restore')]);
    const load = await croupier(['history', 'diff', '1', 'latest'], { cwd });
    expect([load.status, load.err]).toEqual([2, expect.stringContaining('Run 4 is a load test')]);
  });

  it('stores no key, neither in a label nor in the journal', async () => {
    const file = path.join(cwd, '.croupier/history.sqlite');
    expect(readFileSync(file).includes(KEY)).toBe(false);
    const history = await openHistory(file);
    let text = '';
    for await (const piece of storedJournal(history, 1)) text += piece;
    await history.destroy();
    expect(text).toContain('"event":"run-started"');
    expect(text).not.toContain(KEY);
  });

  it('keeps pinned runs when clean removes the others', async () => {
    expect((await croupier(['history', 'pin', '1'], { cwd })).out).toContain('Run 1 is kept');
    const dry = await croupier(['clean', '--keep-runs', '2', '--dry-run'], { cwd });
    expect(dry.out).toContain('1 run of the history would be removed');
    const { out } = await croupier(['clean', '--keep-runs', '2'], { cwd });
    expect(out).toContain('1 run of the history removed');
    const { runs } = await json<{ runs: { number: number }[] }>(['history'], cwd);
    expect(runs.map(({ number }) => number)).toEqual([4, 3, 1]);
  });

  it('ends with status 2 for an unknown run or rule, and says what to do', async () => {
    const unknown = await croupier(['history', 'open', '99'], { cwd });
    expect([unknown.status, unknown.err]).toEqual([2, expect.stringContaining('no run 99')]);
    const rule = await croupier(['history', 'rule', 'refund.restor'], { cwd });
    expect([rule.status, rule.err]).toEqual([2, 'There is no rule refund.restor. Did you mean refund.restore?\n']);
  });
});

describe('a history that cannot be used', { timeout: 60_000 }, () => {
  let cwd = '';
  beforeEach(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'croupier-history-'));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));
  const RUN = ['run', '--client', 'demo-eu', 'balance/read', '--linger', '10ms', '--journal', 'run.ndjson'];

  it('does not fail a run, which prints one notice', async () => {
    await demoOperator(cwd);
    mkdirSync(path.join(cwd, '.croupier/history.sqlite'), { recursive: true });
    const { status, out, err } = await croupier(RUN, { cwd });
    expect([status, out]).toEqual([0, expect.stringContaining('Exit status 0')]);
    expect(err).toMatch(/^This run is not in the history: .*--no-history switches the history off\.\n$/u);
    expect(existsSync(path.join(cwd, 'run.ndjson'))).toBe(true);
    expect((await croupier([...RUN, '--no-history'], { cwd })).err).toBe('');
    expect((await croupier(RUN, { cwd, env: { CROUPIER_HISTORY: '0' } })).err).toBe('');
  });

  it.skipIf(EXECUTABLE !== undefined)('names the package that PostgreSQL needs, if nobody has installed it', () => {
    for (const folder of ['bin', 'dist']) cpSync(path.join(ROOT, folder), path.join(cwd, folder), { recursive: true });
    const command = [path.join(cwd, 'bin/croupier.js'), 'history', 'list'];
    const env = { ...process.env, CROUPIER_DATABASE: 'postgres://croupier:pass-of-a-test@127.0.0.1:1/croupier' };
    const { status, stderr } = spawnSync(process.execPath, command, { cwd, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('PostgreSQL needs the package pg')]);
    expect(stderr).not.toContain('pass-of-a-test');
  });

  it('is an empty list without a run of a wallet, and an error for a damaged file', async () => {
    await demoOperator(cwd);
    expect((await croupier(['run', '--reference', 'balance/read', '--linger', '10ms'], { cwd })).status).toBe(0);
    expect((await croupier(['history'], { cwd })).out).toContain('has no run');
    const missing = await croupier(['history', 'rule'], { cwd });
    expect([missing.status, missing.err]).toEqual([2, expect.stringContaining('This folder has no history')]);
    await croupier(RUN.slice(0, -2), { cwd });
    writeFileSync(path.join(cwd, '.croupier/history.sqlite'), 'damaged');
    const damaged = await croupier(['history'], { cwd });
    expect([damaged.status, damaged.err]).toEqual([2, expect.stringContaining('is damaged')]);
    const again = await croupier(RUN, { cwd });
    expect([again.status, again.err]).toEqual([0, expect.stringContaining('This run is not in the history')]);
  });
});
