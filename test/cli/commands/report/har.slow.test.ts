import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stage } from '../../../service/browser.ts';
import { croupier } from '../../croupier.ts';

interface Incident {
  readonly read: object;
  readonly exitCode: number;
  readonly calls: readonly { readonly at: string; readonly tookMs: number; readonly seenAt: object }[];
  readonly wallets: readonly { readonly player: string; readonly state: string }[];
}

interface Har {
  readonly log: {
    readonly entries: readonly {
      readonly request: {
        readonly method: string;
        readonly url: string;
        readonly postData?: { readonly text: string };
      };
      readonly response: { readonly status: number; readonly content: { readonly text?: string } };
    }[];
  };
}

describe('a journal that is converted for other tools', () => {
  let cwd = '';
  let logged: Incident;
  beforeAll(async () => {
    cwd = mkdtempSync(path.join(tmpdir(), 'har-'));
    const args = [
      '--reference',
      '--defect',
      'refund-half',
      '--workers',
      '1',
      '--journal',
      'run.ndjson',
      '--report',
      'har=at-once.har',
    ];
    const run = await croupier(['run', 'refund/restore', 'refund/refused-bet', 'refund/broken-connection', ...args], {
      cwd,
    });
    expect(run.status).toBe(1);
    const converted = await croupier(['report', 'convert', 'run.ndjson', '--to', 'har=run.har,curl=run.sh'], { cwd });
    const err = 'The har report: run.har\nThe curl report: run.sh\n';
    expect(converted).toMatchObject({ status: 0, out: '', err });
    logged = await incident('run.ndjson');
  }, 60_000);
  afterAll(() => rmSync(cwd, { recursive: true }));

  async function incident(file: string): Promise<Incident> {
    return JSON.parse((await croupier(['incident', file, '--json'], { cwd })).out) as Incident;
  }

  const har = (): Har => JSON.parse(readFileSync(path.join(cwd, 'run.har'), 'utf8')) as Har;

  it('is the same HAR from `run --report` and from `report convert`', () => {
    expect(readFileSync(path.join(cwd, 'at-once.har'), 'utf8')).toBe(readFileSync(path.join(cwd, 'run.har'), 'utf8'));
  });

  it('gives croupier incident the same calls and money as a HAR as it gives as a journal', async () => {
    const again = await incident('run.har');
    // Only the journal has the rules that the run found broken. They decide the state of a wallet, the order of the wallets, and the rules
    // that the debts name.
    const ofRun = new Set(['state', 'rules', 'text']);
    const withoutRules = (wallets: Incident['wallets']): Incident['wallets'] =>
      JSON.parse(JSON.stringify(wallets, (key, value: unknown) => (ofRun.has(key) ? undefined : value)));
    const plain = ({ calls, wallets, ...rest }: Incident) => ({
      ...rest,
      wallets: withoutRules(wallets).toSorted((one, other) => one.player.localeCompare(other.player)),
      exitCode: undefined,
      breaches: undefined,
      oddities: undefined,
      read: undefined,
      calls: calls.map(({ at: _at, tookMs: _took, seenAt: _seen, ...call }) => call),
    });
    expect(plain(again)).toEqual(plain(logged));
    for (const [index, { at, tookMs }] of again.calls.entries()) {
      expect(Math.abs(Date.parse(at) - Date.parse(logged.calls[index]?.at ?? ''))).toBeLessThan(3);
      expect(tookMs).toBeCloseTo(logged.calls[index]?.tookMs ?? -1, 1);
    }
  });

  it('gives croupier incident the same calls in the same order as a script', async () => {
    const script = readFileSync(path.join(cwd, 'run.sh'), 'utf8');
    expect(script).toMatch(/^# \d+\. refund\/refused-bet, step \S+, bet: answered 401/m);
    expect(script).toContain('no reply: croupier broke the connection on purpose');
    const { calls, read } = JSON.parse((await croupier(['incident', 'run.sh', '--json'], { cwd })).out) as {
      calls: readonly object[];
      read: { readonly unreadable: number };
    };
    expect(read.unreadable).toBe(0);
    expect(calls).toHaveLength(logged.calls.length);
  });

  it('can be run by a shell as a script, with a line break after each reply', async () => {
    const calls = readFileSync(path.join(cwd, 'run.sh'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('curl -'));
    const { stderr } = await promisify(execFile)('/bin/sh', ['-n', path.join(cwd, 'run.sh')]);
    expect(stderr).toBe('');
    expect(calls).toHaveLength(har().log.entries.length);
  });
});

describe('a HAR in a browser', () => {
  const { open } = stage();
  let cwd = '';
  beforeAll(async () => {
    cwd = mkdtempSync(path.join(tmpdir(), 'har-browser-'));
    await croupier(['run', 'refund/restore', '--reference', '--journal', 'run.ndjson', '--report', 'har=run.har'], {
      cwd,
    });
  }, 60_000);
  afterAll(() => rmSync(cwd, { recursive: true }));

  it('replays the calls with the recorded replies', async () => {
    const file = path.join(cwd, 'run.har');
    const { entries } = (JSON.parse(readFileSync(file, 'utf8')) as Har).log;
    const read = entries.find(({ request }) => request.method === 'GET');
    const bet = entries.find(({ request }) => request.url.endsWith('/bet'));
    if (!read || !bet) throw new Error('no calls');
    const page = await open('data:text/html,', { foreign: true });
    await page.routeFromHAR(file);
    await page.goto(read.request.url);
    expect(JSON.parse(await page.innerText('body'))).toEqual(JSON.parse(read.response.content.text ?? ''));
    const reply = await page.evaluate(
      `fetch(${JSON.stringify(bet.request.url)}, { method: 'POST', body: ${JSON.stringify(bet.request.postData?.text)} }).then(async (reply) => [reply.status, await reply.text()])`,
    );
    expect(reply).toEqual([200, bet.response.content.text]);
  });
});
