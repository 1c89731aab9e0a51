import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunStarted } from '../../../../src/journal/event.ts';
import { croupier, ended, start } from '../../croupier.ts';
import type { Relayed } from '../../demo-operator.ts';
import { CLIENT_FLAGS, CutOffRun } from './cut-off-run.ts';

let run: CutOffRun;

beforeEach(() => {
  run = new CutOffRun();
});
afterEach(() => run.remove());

const LOST_BET = '  - bet: { amount: "7.00" }\n';
const isBet = ({ call }: Relayed): boolean => call === 'bet';

describe('a settlement', () => {
  beforeEach(() => run.serve());

  it('that was killed is continued with the same refund', async () => {
    await run.killedAt(LOST_BET, isBet, 'pass');
    const child = start(['settle', 'run.ndjson', '--base-url', run.relay.url, ...CLIENT_FLAGS], { cwd: run.cwd });
    run.relay.decide(({ call }) => {
      if (call !== 'refund') return 'pass';
      child.kill('SIGKILL');
      return 'lose-reply';
    });
    expect((await ended(child)).status).toBeNull();
    run.relay.decide(() => 'pass');
    expect((await run.settle()).status).toBe(0);
    expect(run.operator.books()).toEqual(run.before);
    const refunds = run.relay.calls.filter(({ call }) => call === 'refund').map(({ fields }) => fields.txID);
    expect(refunds).toHaveLength(2);
    expect(new Set(refunds).size).toBe(1);
  });

  it('repeats a call until its reply has status 200', async () => {
    await run.killedAt(LOST_BET, isBet, 'pass');
    run.relay.decide(({ call, number }) => (call === 'refund' && number < 2 ? { status: 503 } : 'pass'));
    const { status, out } = await run.settle();
    expect(status).toBe(0);
    expect(out).toContain('answered 200, at attempt 3');
    expect(run.operator.books()).toEqual(run.before);
  });

  it('reports the remaining obligation if the operator does not answer, and moves nothing else', async () => {
    await run.killedAt(LOST_BET, isBet, 'pass');
    run.relay.decide(({ call }) => (call === 'refund' ? { status: 500 } : 'pass'));
    const { status, out } = await run.settle('--time', '300ms');
    expect(status).toBe(3);
    expect(out).toContain('! refund: 7.00 USD, session eu-anna-usd-catch (anna)');
    expect(out).toContain('still owed: it was answered 500');
    expect(out).toContain('To try again: croupier settle run.ndjson');
    expect(run.relay.calls.filter(({ call, number }) => call === 'bet' && number > 0)).toEqual([]);
    run.relay.decide(() => 'pass');
    expect((await run.settle()).status).toBe(0);
    expect(run.operator.books()).toEqual(run.before);
  });

  it('completes each open round with a win of 0, as the service does', async () => {
    await run.killedAt(
      '  - bet: { amount: "5.00" }\n  - balance:\n',
      ({ call, number }) => call === 'balance' && number === 1,
      'lose',
    );
    const calls = run.relay.calls.length;
    const { status, out } = await run.settle();
    expect(status).toBe(0);
    expect(out).toContain('✓ round: 0 USD, session eu-anna-usd-catch (anna)');
    const { roundID } = run.relay.calls.find(({ call }) => call === 'bet')?.fields ?? {};
    expect(run.relay.calls.slice(calls).find(({ call }) => call === 'win')?.fields).toMatchObject({
      roundID,
      amount: '0',
    });
    expect(run.operator.books()).toEqual(run.before);
  });

  it('of a completed run sends nothing, and needs no key', async () => {
    expect((await run.cli('run', 'bet/debit', '--journal', 'run.ndjson')).status).toBe(0);
    rmSync(path.join(run.cwd, 'croupier.yaml'));
    const { status, out } = await croupier(['settle', 'run.ndjson'], { cwd: run.cwd });
    expect(status).toBe(0);
    expect(out).toContain('Nothing is owed');
  });

  it('is refused if the configuration names another address, until a flag names the address', async () => {
    await run.killedAt(LOST_BET, isBet, 'pass');
    const { length } = run.journal();
    const other = await croupier(['settle', 'run.ndjson', ...CLIENT_FLAGS], { cwd: run.cwd });
    expect(other).toMatchObject({ status: 2, out: '' });
    expect(other.err).toContain(`the run called ${run.relay.url}, but the configuration names ${run.operator.url}`);
    expect(other.err).toContain(`add --base-url ${run.relay.url}`);
    const [head = '', ...rest] = readFileSync(path.join(run.cwd, 'run.ndjson'), 'utf8').split('\n');
    const start = JSON.parse(head) as RunStarted;
    const client = { ...start.client, integratorBaseUrl: run.operator.url, otherBaseUrls: [run.relay.url] };
    writeFileSync(path.join(run.cwd, 'joined.ndjson'), [JSON.stringify({ ...start, client }), ...rest].join('\n'));
    const joined = await croupier(['settle', 'joined.ndjson', ...CLIENT_FLAGS], { cwd: run.cwd });
    expect([joined.status, joined.out]).toEqual([2, '']);
    expect(joined.err).toContain(`the run called ${run.operator.url}, ${run.relay.url}, but the configuration names`);
    expect(joined.err).toContain('settle the journal of each shard instead');
    expect(run.journal()).toHaveLength(length);
    expect((await croupier(['settle', 'run.ndjson', '--dry-run', ...CLIENT_FLAGS], { cwd: run.cwd })).status).toBe(3);
    const moved = await croupier(['settle', 'run.ndjson', '--base-url', run.operator.url, ...CLIENT_FLAGS], {
      cwd: run.cwd,
    });
    expect([moved.status, moved.err]).toEqual([
      0,
      expect.stringContaining('croupier sends the calls that are owed to'),
    ]);
  });

  it('is refused for another client', async () => {
    await run.killedAt(LOST_BET, isBet, 'pass');
    const other = await croupier(['settle', 'run.ndjson', '--client', 'demo-asia'], { cwd: run.cwd });
    expect(other).toMatchObject({ status: 2 });
    expect(other.err).toContain('belongs to the client demo-eu, but you chose demo-asia');
  });
});

it.each([
  ['no journal', 'hello\n', 'this is not a journal of croupier'],
  ['an empty file', '', 'the journal is empty'],
  ['the report of another tool', '{"log":{"version":"1.2"}}\n', 'this is not a journal of croupier'],
  [
    'a newer journal',
    '{"event":"run-started","format":"croupier-journal/9","croupier":"9.0.0"}\n',
    'Use a newer croupier',
  ],
  [
    'a hostile journal',
    '{"event":"run-started","format":"croupier-journal/1","settings":{"sessions":7}}\n',
    'is not an event',
  ],
])('refuses to settle %s', async (_what, text, diagnostic) => {
  writeFileSync(path.join(run.cwd, 'run.ndjson'), text);
  const { status, err } = await croupier(['settle', 'run.ndjson'], { cwd: run.cwd });
  expect(err).toContain(diagnostic);
  expect(status).toBe(2);
});

it('refuses to settle a missing journal', async () => {
  const { status, err } = await croupier(['settle', 'nowhere.ndjson'], { cwd: run.cwd });
  expect(err).toContain('there is no such file');
  expect(status).toBe(2);
});

it('says that a killed run against the embedded operator owes nothing, and asks for no key', async () => {
  const killed = readFileSync(path.join(import.meta.dirname, '../../../../fixtures/journals/killed.ndjson'), 'utf8');
  const [first = '', ...rest] = killed.split('\n');
  const embedded = { ...(JSON.parse(first) as object), flags: ['--reference'] };
  writeFileSync(path.join(run.cwd, 'run.ndjson'), [JSON.stringify(embedded), ...rest].join('\n'));
  const { status, out } = await croupier(['settle', 'run.ndjson'], { cwd: run.cwd });
  expect([status, out]).toEqual([0, expect.stringContaining('Nothing is owed. Nothing was sent.')]);
});
