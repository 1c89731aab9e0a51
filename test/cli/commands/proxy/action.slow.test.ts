import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { seeded, sendTraffic } from '../../../../bench/traffic.ts';
import type { JsonObject } from '../../../../src/contract/json.ts';
import { buildRequest, type CallSpec } from '../../../../src/wire/request.ts';
import { KEY as OPERATOR_KEY, operatorServer } from '../../../engine/operator-server.ts';
import { error } from '../../../judge/toy-wallet.ts';
import { croupier, type Ended, ended, line, start } from '../../croupier.ts';

const KEY = 'the-key-of-this-test/+&"';
const SESSIONS = ['eu-anna-usd-catch', 'eu-anna-usd-swipe', 'eu-ben-eur', 'eu-carla-usd', 'eu-ines-usd', 'eu-jan-eur'];
const ANNA = 'eu-anna-usd-catch';

interface Between {
  readonly cwd: string;
  /** The addresses of the operator and of the proxy. */
  readonly operator: string;
  readonly proxy: string;
  /** Ends the proxy. */
  readonly end: () => Promise<Ended & { readonly lines: readonly Record<string, unknown>[] }>;
}

function folder(): string {
  const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-proxy-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  return cwd;
}

async function operatorIn(cwd: string, args: readonly string[]): Promise<string> {
  const child = start(['serve', 'operator', '--write-config', 'croupier.yaml', ...args], {
    cwd,
    env: { CROUPIER_KEY: KEY },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return (await line(child, 'operator ')).replace('operator ', '');
}

async function proxyTo(
  cwd: string,
  operator: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = { CROUPIER_KEY: KEY },
): Promise<Between> {
  const flags = ['proxy', '--to', operator, '--json', '--journal', 'traffic.ndjson', ...args];
  const child = start(flags, { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const whole = ended(child);
  const ready = JSON.parse(await line(child, '"ready"')) as { readonly url: string };
  return {
    cwd,
    operator,
    proxy: ready.url,
    end: async () => {
      child.kill('SIGTERM');
      const result = await whole;
      const lines = result.out
        .trim()
        .split('\n')
        .map((each) => JSON.parse(each) as Record<string, unknown>);
      return { ...result, lines };
    },
  };
}

async function between(operatorArgs: readonly string[] = [], proxyArgs: readonly string[] = []): Promise<Between> {
  const cwd = folder();
  return proxyTo(cwd, await operatorIn(cwd, operatorArgs), proxyArgs);
}

function findings(lines: readonly Record<string, unknown>[], verdict = 'fail'): readonly unknown[] {
  return lines.filter((each) => each.type === 'finding' && each.verdict === verdict).map(({ rule }) => rule);
}

async function call(baseUrl: string, name: CallSpec['call'], fields: CallSpec['fields'], key = KEY): Promise<Response> {
  const { url, method, headers, body } = buildRequest({ call: name, target: { baseUrl }, key, fields });
  return fetch(url, {
    method,
    headers: headers
      .map(([header, value]): [string, string] => [header, value])
      .filter(([header]) => header !== 'Host'),
    ...(body !== null && { body: Buffer.from(body) }),
  });
}

function bet(amount = '1.00', sessionID = ANNA) {
  return { sessionID, txID: randomUUID(), roundID: randomUUID(), amount, type: 'regular' };
}

describe('croupier proxy', () => {
  // On a busy machine too many calls overlap for anything to be judged, so this test may be tried again.
  it('reports nothing about a correct operator at a thousand calls a second, and records all calls', {
    retry: 2,
  }, async () => {
    const { proxy, end, cwd } = await between();
    const options = { baseUrl: proxy, key: KEY, sessions: SESSIONS, perSecond: 1000, calls: 4000, random: seeded(7) };
    const { sent, unanswered } = await sendTraffic(options);
    const { lines, status, out } = await end();
    expect(unanswered).toBe(0);
    expect(status).toBe(0);
    expect(lines.filter(({ type }) => type === 'finding')).toEqual([]);
    const summary = lines.at(-1) as { readonly type: string; readonly unjudged: number };
    expect(summary).toMatchObject({ type: 'summary', unjudged: 0, unexplainedBalances: 0 });
    const calls = lines.filter(({ type }) => type === 'call').length;
    expect(calls).toBeGreaterThan(sent * 0.95);
    const journal = readFileSync(path.join(cwd, 'traffic.ndjson'), 'utf8');
    for (const text of [journal, out]) expect(text).not.toContain(KEY.slice(0, 12));
    expect(journal.match(/"event":"received"/g)?.length).toBe(calls);
    const incident = await croupier(['incident', 'traffic.ndjson', '--session', 'eu-carla-usd'], { cwd });
    expect(incident.err).toBe('');
    const report = await croupier(['report', 'convert', 'traffic.ndjson', '--to', 'json=report.json'], { cwd });
    expect(report.err).toBe('The json report: report.json\n');
    const { rules } = JSON.parse(readFileSync(path.join(cwd, 'report.json'), 'utf8')) as {
      readonly rules: readonly { readonly id: string; readonly verdict: string }[];
    };
    expect(rules.find(({ id }) => id === 'bet.debit')?.verdict).toBe('pass');
  });

  it.each([
    ['replayed-win-paid', 'idempotency.win'],
    ['bet-free-of-charge', 'bet.debit'],
    ['balance-number', 'money.decimal-string'],
    ['refund-unknown-404', 'refund.unknown'],
    ['status-201', 'reply.success-is-200'],
  ])('finds the defect %s in ordinary traffic', async (defect, rule) => {
    const { proxy, end } = await between(['--defect', defect]);
    const options = { baseUrl: proxy, key: KEY, sessions: SESSIONS, perSecond: 100, calls: 250, random: seeded(3) };
    await sendTraffic(options);
    for (let again = 0; again < 3; again += 1) {
      const placed = bet();
      await call(proxy, 'bet', placed);
      const won = { ...placed, txID: randomUUID(), amount: '5.00' };
      await call(proxy, 'win', won);
      await call(proxy, 'win', won);
      await call(proxy, 'balance', { sessionID: ANNA });
      const { type: _, ...lost } = bet();
      await call(proxy, 'refund', { ...lost, origTxID: randomUUID() });
    }
    const { lines } = await end();
    expect(findings(lines)).toContain(rule);
  });

  it('reports an operator that accepts a wrong signature, and not one that refuses it', async () => {
    const right = await between();
    await call(right.proxy, 'balance', { sessionID: ANNA });
    expect((await call(right.proxy, 'bet', bet(), 'another key')).status).toBe(401);
    const { lines } = await right.end();
    expect(lines.filter(({ type }) => type === 'finding')).toEqual([]);
    const wrong = await between(['--defect', 'signature-ignored']);
    await call(wrong.proxy, 'balance', { sessionID: ANNA });
    expect((await call(wrong.proxy, 'bet', bet(), 'another key')).status).toBe(200);
    expect(findings((await wrong.end()).lines)).toEqual(['signature.mismatch']);
  });

  it('reports an accepted call without a signature, also without a key', async () => {
    const operator = await operatorIn(folder(), ['--defect', 'signature-optional']);
    const { proxy, end } = await proxyTo(folder(), operator, [], {});
    expect((await call(proxy, 'balance', { sessionID: ANNA }, 'another key')).status).toBe(401);
    const unsigned = await fetch(`${proxy}/bet`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(bet()),
    });
    expect(unsigned.status).toBe(200);
    expect(findings((await end()).lines)).toEqual(['signature.missing']);
  });

  it('does not judge calls that concern transactions from before its start', async () => {
    const cwd = folder();
    const operator = await operatorIn(cwd, []);
    const placed = bet('3.00');
    const won = { ...placed, txID: randomUUID(), amount: '7.00' };
    const other = bet('2.00');
    for (const [name, fields] of [
      ['bet', placed],
      ['win', won],
      ['bet', other],
      ['bet', bet('4.00')],
    ] as const)
      await call(operator, name, fields);
    const { proxy, end } = await proxyTo(cwd, operator);
    await call(proxy, 'balance', { sessionID: ANNA });
    // A retry of an earlier call, and a refund of a bet from before the start of the proxy.
    await call(proxy, 'win', won);
    const { type: _, ...fields } = other;
    await call(proxy, 'refund', { ...fields, txID: randomUUID(), origTxID: other.txID });
    await call(proxy, 'balance', { sessionID: ANNA });
    await call(proxy, 'bet', bet());
    // Money that moves without a forwarded call: a bonus, or another game.
    await call(operator, 'bet', bet('13.00'));
    await call(proxy, 'bet', bet());
    await call(proxy, 'balance', { sessionID: ANNA });
    const { lines } = await end();
    expect(findings(lines)).toEqual([]);
    expect(lines.at(-1)).toMatchObject({ unexplainedBalances: 1 });
  });

  it('judges replies as the other commands do, by the known bet and currency', async () => {
    let isGateway = false;
    const { url } = await operatorServer(
      ({ call: name }, tell) => {
        const logged = tell();
        if (name === 'bet' && isGateway) return error(504, 'No reply from the wallet');
        return name === 'refund' ? { ...logged, body: { ...(logged.body as JsonObject), txID: '' } } : logged;
      },
      { balance: '100.50' },
    );
    const { proxy, end } = await proxyTo(folder(), url, ['--session', 's1,player=p1,currency=CLP'], {
      CROUPIER_KEY: OPERATOR_KEY,
    });
    const send = (name: CallSpec['call'], fields: CallSpec['fields']) => call(proxy, name, fields, OPERATOR_KEY);
    const refundOf = (placed: ReturnType<typeof bet>) => {
      const { type: _, ...fields } = placed;
      return { ...fields, txID: randomUUID(), origTxID: fields.txID };
    };
    await send('balance', { sessionID: 's1' });
    const placed = bet('1.00', 's1');
    await send('bet', placed);
    await send('refund', refundOf(placed));
    await send('refund', refundOf(bet('1.00', 's1')));
    isGateway = true;
    await send('bet', bet('2.00', 's1'));
    await send('balance', { sessionID: 's1' });
    const { lines } = await end();
    expect(findings(lines)).toEqual(['reply.tx-id', 'bet.declined-takes-nothing']);
    const warnings = findings(lines, 'warn');
    expect(warnings.filter((rule) => rule === 'reply.tx-id')).toHaveLength(1);
    expect(new Set(warnings)).toEqual(new Set(['money.precision', 'reply.tx-id']));
  });

  it('marks the faults of --fault, and does not blame the operator for them', async () => {
    const { proxy, end, cwd } = await between(
      [],
      ['--fault', 'drop=reply,call=bet,times=1', '--fault', 'repeat=2,call=win'],
    );
    await call(proxy, 'balance', { sessionID: ANNA });
    const lost = bet();
    await expect(call(proxy, 'bet', lost)).rejects.toThrow('fetch failed');
    const { type: _, ...fields } = lost;
    await call(proxy, 'refund', { ...fields, txID: randomUUID(), origTxID: lost.txID });
    const placed = bet();
    await call(proxy, 'bet', placed);
    await call(proxy, 'win', { ...placed, txID: randomUUID(), amount: '2.00' });
    await new Promise((next) => setTimeout(next, 500));
    await call(proxy, 'balance', { sessionID: ANNA });
    const { lines } = await end();
    expect(lines.filter(({ type }) => type === 'finding')).toEqual([]);
    const asides = lines.filter(({ type, aside }) => type === 'call' && aside !== null).map(({ aside }) => aside);
    expect(asides[0]).toContain("did not pass on the operator's reply (--fault)");
    expect(asides.filter((aside) => String(aside).includes('repeated it'))).toHaveLength(2);
    expect(readFileSync(path.join(cwd, 'traffic.ndjson'), 'utf8')).toContain('"aside":"croupier broke');
  });

  it('says once that it verifies no signatures without a key, and explains a wrong --fault', async () => {
    const cwd = folder();
    const child = start(['proxy', '--to', 'http://127.0.0.1:1'], { cwd });
    const whole = ended(child);
    await line(child, 'proxy http://');
    child.kill('SIGINT');
    const { status, out } = await whole;
    expect([status, out.match(/signatures are not verified/g)?.length]).toEqual([0, 1]);
    const wrong = await croupier(['proxy', '--to', 'http://127.0.0.1:1', '--fault', 'delay=soon'], { cwd });
    expect(wrong.status).toBe(2);
    expect(wrong.err).toContain('--fault delay=soon: "delay=soon" is not valid. Write one action: delay=DURATION');
  });
});
