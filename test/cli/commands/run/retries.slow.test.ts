import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { croupier, type Ended, ended, start } from '../../croupier.ts';
import { demoOperator, relayTo } from '../../demo-operator.ts';

let cwd = '';

/** Runs a scenario whose first bets are answered 201. */
async function flaky(times: number, ...flags: readonly string[]): Promise<Ended> {
  const operator = await demoOperator(cwd);
  const relay = await relayTo(operator.url);
  let bets = 0;
  relay.decide(({ call }) => {
    if (!call.endsWith('bet')) return 'pass';
    bets += 1;
    return bets <= times ? { as: 201 } : 'pass';
  });
  const clientFlags = ['--client', 'demo-eu', '--base-url', relay.url, '--linger', '20ms', '--journal', 'run.ndjson'];
  const child = start(['run', 'mine.yaml', ...clientFlags, ...flags], { cwd });
  const done = await ended(child);
  await operator.stop();
  return done;
}

interface Report {
  readonly flaky: readonly string[];
  readonly scenarios: readonly {
    readonly findings: readonly { readonly flaky: boolean; readonly exchange: string }[];
    readonly exchanges: readonly { readonly id: string }[];
  }[];
}

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  writeFileSync(path.join(cwd, 'mine.yaml'), 'title: Mine\nrules: [bet.debit]\nsteps: [{ bet: }, { balance: }]\n');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('croupier run --retries', () => {
  it('shows a flaky scenario in every report, and fails the run', async () => {
    const { status, out } = await flaky(1, '--retries', '1', '--report', 'junit=r.xml', '--report', 'json=r.json');
    expect(status).toBe(1);
    expect(out.split('\n')[0]).toMatch(/^NOT CONFORMING: .* but 1 scenario passed on retry \(flaky\)\.$/);
    expect(out).toContain('the scenario passed on retry');
    expect(out).toMatch(/\b201\b/);
    const report = JSON.parse(readFileSync(path.join(cwd, 'r.json'), 'utf8')) as Report;
    expect(report.flaky).toEqual(['mine']);
    const [scenario] = report.scenarios;
    const shown = scenario?.findings.find((finding) => finding.flaky)?.exchange;
    expect(scenario?.exchanges.map(({ id }) => id)).toContain(shown);
    const xml = readFileSync(path.join(cwd, 'r.xml'), 'utf8');
    expect(new XMLParser().parse(xml)).toHaveProperty('testsuites');
    expect(xml).toMatch(/<failure [^>]*type="flaky"/);
    expect(xml).toMatch(/<flakyFailure [^>]*type="flaky"/);
    expect(
      (await croupier(['run', 'mine.yaml', '--last-failed', 'run.ndjson', '--client', 'demo-eu', '--list'], { cwd }))
        .out,
    ).toContain('mine');
  });

  it('warns about a flaky scenario with --allow-flaky', async () => {
    const { status, out } = await flaky(1, '--retries', '1', '--allow-flaky', '--report', 'junit=r.xml');
    expect(status).toBe(0);
    expect(out.split('\n')[0]).toContain('1 scenario that passed only on retry (flaky)');
    const xml = readFileSync(path.join(cwd, 'r.xml'), 'utf8');
    expect(xml).toContain('<flakyFailure ');
    expect(xml).not.toContain('<failure ');
  });

  it('fails the run if every retry fails', async () => {
    const { status, out } = await flaky(99, '--retries', '2', '--allow-flaky');
    expect(status).toBe(1);
    expect(out).not.toContain('flaky');
  });
});
