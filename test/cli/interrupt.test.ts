import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ended, start } from './croupier.ts';

const APART_MS = 300;
let cwd: string;
let silent: Server;
let isAsked: Promise<void>;
let clientFlags: readonly string[];

/** An operator that answers only balance calls. */
beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-interrupt-'));
  writeFileSync(path.join(cwd, 'bet.yaml'), 'title: A bet\nrules: [bet.debit]\nsteps:\n  - bet:\n');
  silent = createServer((request, response) => {
    request.resume();
    if (request.method === 'GET')
      response.setHeader('content-type', 'application/json').end('{"balance":"1000.00","currency":"USD"}');
    else silent.emit('bet');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as AddressInfo;
  clientFlags = [
    '--base-url',
    `http://127.0.0.1:${port}`,
    '--ext-cid',
    'silent',
    '--session',
    's1,currency=USD,player=p',
  ];
});

beforeEach(() => {
  isAsked = new Promise((resolve) => silent.once('bet', () => resolve()));
});

afterAll(() => {
  silent.closeAllConnections();
  silent.close();
  rmSync(cwd, { recursive: true });
});

function play(...args: readonly string[]) {
  const session = args[0] === 'replay' ? '--test-session' : '--session';
  const of = clientFlags.map((arg) => (arg === '--session' ? session : arg));
  const child = start(['--no-color', ...args, ...of], { cwd, env: { CROUPIER_KEY: 'a-key-of-this-test' } });
  return { child, over: ended(child) };
}

describe('Ctrl-C', () => {
  it('that is pressed twice ends `croupier explore` at once, and how to settle is printed', async () => {
    const { child, over } = play('explore', '--journal', 'explore.ndjson');
    await isAsked;
    child.kill('SIGINT');
    await sleep(APART_MS);
    child.kill('SIGINT');
    const { status, out, err } = await over;
    expect({ status, out }).toEqual({ status: 130, out: '' });
    expect(err).toContain('Interrupt again to end at once.');
    expect(err).toMatch(/Ended at once\..* croupier settle explore\.ndjson\n$/);
  });

  it.each([
    ['SIGINT', 'SIGTERM', 130],
    ['SIGINT', 'SIGINT', 130],
    ['SIGHUP', 'SIGTERM', 129],
  ] as const)('and a second signal (%s, %s) end a run without waiting, with a report', async (first, second, code) => {
    const reports = ['json=report.json', 'junit=junit.xml', 'openmetrics=metrics.prom', 'summary=summary.txt'];
    // Each case has a journal of its own, because croupier never overwrites a journal that still owes something.
    const journal = `${first}-${second}.ndjson`;
    const flags = reports.flatMap((report) => ['--report', report]);
    const { child, over } = play('run', 'bet.yaml', '--journal', journal, '--deadline', '1m', ...flags);
    await isAsked;
    child.kill(first);
    await sleep(APART_MS);
    child.kill(second);
    const { status, out, err } = await over;
    isAsked = new Promise((resolve) => silent.once('bet', () => resolve()));
    expect({ status, err }).toEqual({ status: code, err: expect.stringContaining('Interrupt again to end at once.') });
    expect(err).toContain('Ended at once.');
    expect(err).toContain(` croupier settle ${journal}\n`);
    const unknown =
      'the run ended too early, so it is not known which calls, rounds and balances are still owed. The scenarios that had begun: bet';
    const settle = `croupier settle ${journal}`;
    expect(out.replaceAll(/\s+/g, ' ')).toContain(unknown);
    expect(out).toContain(settle);
    expect(out.split('\n').at(-2)).toBe(`Exit status ${code}: interrupted. Send what is still owed: ${settle}`);
    expect(JSON.parse(readFileSync(path.join(cwd, 'report.json'), 'utf8'))).toMatchObject({
      verdict: 'undecided',
      exitCode: code,
      ended: null,
      owedUnknown: { scenarios: ['bet'] },
      settle,
    });
    const text = (file: string): string => readFileSync(path.join(cwd, file), 'utf8');
    expect(text('junit.xml')).toContain('was cut off');
    expect(text('junit.xml')).toContain(`owed: ${unknown}\nto settle: ${settle}`);
    expect(text('metrics.prom')).toContain('croupier_owed_unknown{client="silent"} 1\n');
    expect(text('metrics.prom')).toContain(`croupier_run_exit_status{client="silent"} ${code}\n`);
    expect(text('summary.txt')).toContain(
      `Owed: more that is not known, because the run ended too early: ${settle}\nExit status ${code}, journal ${journal}\n`,
    );
  });

  it('ends a run of several clients, and its last lines name each client that was not begun', async () => {
    const [, integratorBaseUrl = ''] = clientFlags;
    const sessions = [{ sessionID: 's1', player: 'p', currency: 'USD' }];
    const clients = ['one', 'two'].map((extCID) => ({
      extCID,
      integratorBaseUrl,
      integrationApiKey: '${KEY_OF_THIS_TEST}',
      sessions,
    }));
    writeFileSync(path.join(cwd, 'croupier.yaml'), JSON.stringify({ clients }));
    const env = { KEY_OF_THIS_TEST: 'a-key-of-this-test' };
    const child = start(['run', 'bet.yaml', '--deadline', '300ms'], { cwd, env });
    const over = ended(child);
    await isAsked;
    child.kill('SIGINT');
    const { status, out } = await over;
    rmSync(path.join(cwd, 'croupier.yaml'));
    expect(status).toBe(130);
    expect(out).toMatch(
      /\none {2}130 {2}.*\ntwo {2}130 {2}UNDECIDED: the run was interrupted before it tested two\.\n/,
    );
    expect(out).toContain('Exit status 130, the most severe of 2 clients.');
  });

  it('that is pressed twice ends a replay and a settlement at once, with the same message', async () => {
    const body = '{"sessionID":"s1","amount":"1.00","currency":"USD","txID":"t-1","roundID":"r-1","type":"regular"}';
    writeFileSync(path.join(cwd, 'bet.txt'), `curl -X POST http://wallet.example/bet -d '${body}'\n`);
    for (const args of [
      ['replay', 'bet.txt', '--journal', 'replay.ndjson'],
      ['settle', 'replay.ndjson'],
    ]) {
      const { child, over } = play(...args);
      await isAsked;
      child.kill('SIGINT');
      await sleep(APART_MS);
      child.kill('SIGINT');
      const { status, err } = await over;
      isAsked = new Promise((resolve) => silent.once('bet', () => resolve()));
      expect(status).toBe(130);
      expect(err).toMatch(/Ended at once\..* croupier settle replay\.ndjson\n$/);
    }
  });

  it('counts once if a shell and a supervisor both send the signal', async () => {
    const { child, over } = play('run', 'bet.yaml', '--journal', 'one.ndjson', '--deadline', '300ms');
    await isAsked;
    child.kill('SIGINT');
    await sleep(5);
    child.kill('SIGINT');
    const { status, out } = await over;
    expect(status).toBe(130);
    expect(out).toContain('Journal: one.ndjson');
  });
});
