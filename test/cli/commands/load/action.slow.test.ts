import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoadResult } from '../../../../src/journal/load/result.ts';
import { croupier, ended, line, start } from '../../croupier.ts';
import { demoOperator } from '../../demo-operator.ts';
import { journalReaches, killLoads } from './killing.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-load-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const CLIENT = ['--client', 'demo-eu', '--linger', '100ms'];
/** Length of a journal in bytes that surely contains bets. */
const LOADED_BYTES = 20_000;
const LOAD = ['load', ...CLIENT, '--rate', '100', '--journal', 'load.ndjson'];

describe('a load test that is killed', { timeout: 180_000 }, () => {
  it('is settled to the cent, however far it had come', async () => {
    const { kills, owing, bets } = await killLoads(10, 1, () => {});
    expect([kills, owing > 5, bets > 100]).toEqual([10, true, true]);
  });

  it('by SIGINT completes its rounds, compares every balance, and owes nothing', async () => {
    const operator = await demoOperator(cwd);
    const child = start([...LOAD, '--duration', '1m', '--json'], { cwd });
    const end = ended(child);
    await journalReaches(child, path.join(cwd, 'load.ndjson'), LOADED_BYTES);
    child.kill('SIGINT');
    const { status, out } = await end;
    const { verdict, load, money } = JSON.parse(out) as LoadResult;
    expect([status, verdict, load.interrupted, money.verified]).toEqual([0, 'RECONCILED', 'SIGINT', 8]);
    const settle = await croupier(['settle', 'load.ndjson', ...CLIENT, '--dry-run'], { cwd });
    expect(settle.out).toContain('Nothing is owed. Nothing was sent.');
    await operator.stop();
  });
});

describe('a load test', { timeout: 120_000 }, () => {
  it('of a wallet that stands still for 6 of 10 seconds shows seconds in its response times', async () => {
    const operator = start(['serve', 'operator', '--write-config', 'croupier.yaml'], { cwd });
    await line(operator, 'operator ');
    const child = start([...LOAD, '--duration', '10s', '--json'], { cwd });
    const load = ended(child);
    await journalReaches(child, path.join(cwd, 'load.ndjson'), LOADED_BYTES);
    operator.kill('SIGSTOP');
    await sleep(6000);
    operator.kill('SIGCONT');
    const { out, status } = await load;
    operator.kill('SIGKILL');
    const result = JSON.parse(out) as LoadResult;
    const all = result.times.find(({ call }) => call === 'all');
    expect(all?.response?.p50).toBeGreaterThan(1000);
    expect(all?.response?.p90).toBeGreaterThan(3000);
    // Only the calls that were in flight waited for their reply.
    expect(all?.service?.p50).toBeLessThan(500);
    expect([status, result.verdict, result.money.verified]).toEqual([0, 'RECONCILED', 8]);
  });

  it('of a wallet that is not there says so, and sends nothing but balance calls', async () => {
    const address = ['--base-url', 'http://127.0.0.1:9', '--ext-cid', 'acme', '--session', 's-1,player=p,currency=EUR'];
    const { status, out } = await croupier(['load', '--rate', '5', ...address, '--journal', 'load.ndjson'], {
      cwd,
      env: { CROUPIER_KEY: 'a-key-of-a-test' },
    });
    expect(status).toBe(3);
    expect(out).toMatch(
      /^UNDECIDED: acme: no balance could be read, so no money moved: Nothing listens at 127.0.0.1:9/u,
    );
    expect(readFileSync(path.join(cwd, 'load.ndjson'), 'utf8')).not.toContain('"s"');
  });
});
