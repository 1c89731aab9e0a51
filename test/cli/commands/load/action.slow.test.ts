import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LoadResult, loadResultSchema } from '../../../../src/journal/load/result.ts';
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
    expect([status, verdict, load.interrupted, money.verified]).toEqual([130, 'RECONCILED', 'SIGINT', 10]);
    const settle = await croupier(['settle', 'load.ndjson', ...CLIENT, '--dry-run'], { cwd });
    expect(settle.out).toContain('Nothing is owed. Nothing was sent.');
    await operator.stop();
  });

  it.each([
    { count: 1, place: 'this process' },
    { count: 2, place: 'this process' },
    { count: 2, place: 'other processes' },
  ])(
    'after a SIGTERM that the wallet leaves no time for has its reports, with $count worker(s) in $place',
    async ({ count, place }) => {
      const operator = start(['serve', 'operator', '--write-config', 'croupier.yaml'], { cwd });
      await line(operator, 'operator ');
      const database = place === 'this process' ? [] : ['--database', path.join(cwd, 'shared.sqlite')];
      const reports = ['--report', 'json=load.json,html=load.html', '--workers', `${count}`];
      const child = start([...LOAD, '--duration', '1m', ...reports, ...database], { cwd });
      const joined = place === 'this process' ? [] : [1, 2].map(() => start(['load', '--join', ...database], { cwd }));
      onTestFinished(() => joined.forEach((worker) => void worker.kill('SIGKILL')));
      const end = ended(child);
      await journalReaches(child, path.join(cwd, 'load.ndjson'), LOADED_BYTES);
      // The wallet answers no more, so the open rounds can't be completed before croupier is killed.
      operator.kill('SIGSTOP');
      child.kill('SIGTERM');
      const file = path.join(cwd, 'load.json');
      await vi.waitUntil(() => existsSync(file) && existsSync(path.join(cwd, 'load.html')), { timeout: 20_000 });
      child.kill('SIGKILL');
      await end;
      operator.kill('SIGKILL');
      const { verdict, exitCode, reasons, load, money, rate } = loadResultSchema.parse(
        JSON.parse(readFileSync(file, 'utf8')),
      );
      expect([verdict, exitCode, load.interrupted, load.isStopping]).toEqual(['UNDECIDED', 143, 'SIGTERM', true]);
      expect(reasons[0]).toMatch(/^SIGTERM interrupted the test\. .* had not yet completed the open rounds/u);
      expect([money.players, money.verified]).toEqual([10, 0]);
      expect(new Set(money.byCurrency.map(({ shown }) => shown))).toEqual(new Set([null]));
      expect([rate.calls > 10, load.workers.count]).toEqual([true, count]);
    },
  );

  it('replaces the reports of the moment of the signal by those of the end', async () => {
    const operator = await demoOperator(cwd);
    const child = start([...LOAD, '--duration', '1m', '--report', 'json=load.json', '--workers', '2'], { cwd });
    const end = ended(child);
    await journalReaches(child, path.join(cwd, 'load.ndjson'), LOADED_BYTES);
    child.kill('SIGTERM');
    const { status, out } = await end;
    const { verdict, exitCode, load } = JSON.parse(readFileSync(path.join(cwd, 'load.json'), 'utf8')) as LoadResult;
    expect([status, exitCode, verdict, load.isStopping]).toEqual([143, 143, 'RECONCILED', undefined]);
    expect(out).toMatch(
      /^RECONCILED: 10 balances .*, but SIGTERM interrupted the test\.\nInterrupted by .* Exit status 143\./u,
    );
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
    expect([status, result.verdict, result.money.verified]).toEqual([0, 'RECONCILED', 10]);
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
