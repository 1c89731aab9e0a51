import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { RULES } from '../../../../src/contract/catalogue.ts';
import type { JsonReport } from '../../../../src/report/json/json-schema.ts';
import { croupier, line, start } from '../../croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const KEY = 'a-key-of-this-test-only';
/** The rule can be judged only if the operator fails on its own. The other rules need launches by a backend. */
const WITHOUT_OPPORTUNITY = /^(refund\.after-error|launch\..*)$/;

it('sends at most 350 calls with one session, and says what a whole run adds', async () => {
  const operator = start(['serve', 'operator'], { cwd, env: { CROUPIER_KEY: KEY } });
  onTestFinished(() => void operator.kill('SIGKILL'));
  const url = (await line(operator, 'operator ')).replace('operator ', '');
  const session = 'eu-anna-usd-catch,player=anna,currency=USD';
  const client = ['--base-url', url, '--ext-cid', 'demo-eu', '--session', session];
  const { status, out } = await croupier(['run', '--quick', ...client, '--linger', '50ms', '--journal', 'run.ndjson'], {
    cwd,
    env: { CROUPIER_KEY: KEY },
  });
  expect(status, out).toBe(0);
  const text = out.replaceAll(/\s+/g, ' ');
  expect(text).toMatch(/breaks none of \d+ rules judged, in the quick part of the suite/);
  expect(text).toMatch(/This was a quick run with \d+ of \d+ scenarios\./);
  const calls = readFileSync(path.join(cwd, 'run.ndjson'), 'utf8').match(/"event":"sending"/g) ?? [];
  expect(calls.length).toBeGreaterThan(200);
  expect(calls.length).toBeLessThanOrEqual(350);
});

it('judges every MUST rule that a correct operator gives an opportunity to judge', async () => {
  const { status, out } = await croupier(['run', '--reference', '--quick', '--linger', '50ms', '--json'], { cwd });
  expect(status).toBe(0);
  const { rules } = JSON.parse(out) as JsonReport;
  const judged = new Set(rules.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id as string));
  const must = RULES.filter(({ id, level }) => level === 'MUST' && !WITHOUT_OPPORTUNITY.test(id)).map(({ id }) => id);
  expect(must.filter((id) => !judged.has(id))).toEqual([]);
});

it('is conforming for a correct operator whose only currency has no decimals', async () => {
  const operator = start(['serve', 'operator', '--write-config', 'croupier.yaml', '--port', '0'], { cwd });
  onTestFinished(() => void operator.kill('SIGKILL'));
  await line(operator, 'operator ');
  const args = ['run', '--quick', '--client', 'demo-asia', '--linger', '50ms'];
  const { status, out } = await croupier(args, { cwd });
  expect(status, out).toBe(0);
});

it('fails for an operator that takes a repeated bet twice', async () => {
  const { status, out } = await croupier(['run', '--reference', '--quick', '--defect', 'replayed-bet-charged'], {
    cwd,
  });
  expect(status).toBe(1);
  expect(out).toContain('idempotency.bet');
});

it('is undecided for an operator that declines every bet, as a whole run is', async () => {
  const { status } = await croupier(['run', '--reference', '--quick', '--defect', 'bets-503'], { cwd });
  expect(status).toBe(3);
});

it('plays scenarios of the user only if they have the tag quick', async () => {
  const scenario = (tags: string) => `title: One bet\nrules: [bet.debit]\n${tags}steps: [{ bet: }, { balance: }]\n`;
  writeFileSync(path.join(cwd, 'tagged.yaml'), scenario('tags: [quick]\n'));
  writeFileSync(path.join(cwd, 'untagged.yaml'), scenario(''));
  writeFileSync(path.join(cwd, 'croupier.yaml'), 'scenarios: [tagged.yaml, untagged.yaml]\n');
  const { out } = await croupier(['run', '--reference', '--quick', '--list'], { cwd });
  expect(out).toContain('tagged');
  expect(out).not.toContain('untagged');
  const none = await croupier(['run', '--reference', '--quick', 'untagged.yaml'], { cwd });
  expect(none.status).toBe(2);
  expect(none.err).toContain('None of 1 scenario matches --quick. Nothing was sent.');
});
