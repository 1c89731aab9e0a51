import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../src/contract/json.ts';
import type { JournalEvent, Sending } from '../../../../src/journal/event.ts';
import { readJournal } from '../../../../src/journal/read.ts';
import { KEY, type OperatorServer, operatorServer, P1 } from '../../../engine/operator-server.ts';
import { croupier } from '../../croupier.ts';

/** The header as W3C Trace Context defines it: version, trace, span and flags. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-01$/;

/** A wallet that charges a repeated bet again under a new txID. */
function chargesTwice(): Promise<OperatorServer> {
  return operatorServer((called, tell) => {
    const reply = tell();
    if (called.call !== 'bet') return reply;
    return { ...reply, body: { ...(reply.body as JsonObject), txID: `own-${called.number}` } };
  });
}

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function traceparentsOf({ calls }: OperatorServer): readonly string[] {
  return calls.map(({ request }) => String(request.headers.traceparent));
}

const AGAINST = ['--ext-cid', 'acme', '--session', `${P1.sessionID},player=p1,currency=USD`];
const FAST = ['--deadline', '500ms', '--linger', '50ms', '--no-history', '--no-lock'];

describe('--trace', () => {
  it('a call has the trace of its scenario and a span of its own, which the journal and the reports name', async () => {
    const cwd = temporaryFolder();
    const operator = await chargesTwice();
    const files = ['--journal', 'run.ndjson', '--report', 'html=run.html,json=run.json'];
    const { out, status } = await croupier(
      ['run', 'idempotency/bet', 'bet/debit', '--trace', '--base-url', operator.url, ...AGAINST, ...FAST, ...files],
      { cwd, env: { CROUPIER_KEY: KEY } },
    );
    expect(status).toBe(1);
    const read = (file: string): string => readFileSync(path.join(cwd, file), 'utf8');
    const events = read('run.ndjson')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JournalEvent);
    const sendings = events.filter((event): event is Sending => event.event === 'sending');
    const received = traceparentsOf(operator).map((text) => TRACEPARENT.exec(text)?.slice(1));
    expect(received).toEqual(sendings.map(({ trace }) => [trace?.traceID, trace?.spanID]));
    expect(new Set(sendings.map(({ trace }) => trace?.spanID)).size).toBe(sendings.length);
    const tracesOf = (scenario: string | null) =>
      new Set(sendings.filter((sending) => sending.scenario === scenario).map(({ trace }) => trace?.traceID));
    expect(tracesOf('idempotency/bet').size).toBe(1);
    expect(tracesOf('bet/debit').size).toBe(1);
    expect(tracesOf('idempotency/bet')).not.toEqual(tracesOf('bet/debit'));
    const [trace] = tracesOf('idempotency/bet');
    expect(out).toContain(`trace     ${trace}, span `);
    expect(read('run.html')).toContain(`Trace <code>${trace}</code>`);
    expect(read('run.json')).toContain(`"trace":{"traceID":"${trace}"`);
  });

  it('without the flag, no call has the header', async () => {
    const operator = await operatorServer();
    const { status } = await croupier(['run', 'bet/debit', '--base-url', operator.url, ...AGAINST, ...FAST], {
      cwd: temporaryFolder(),
      env: { CROUPIER_KEY: KEY },
    });
    expect(status).toBe(0);
    expect(new Set(traceparentsOf(operator))).toEqual(new Set(['undefined']));
  });

  it('croupier.yaml switches it on, and the traceparent of croupier replaces one of the configuration', async () => {
    const cwd = temporaryFolder();
    const operator = await operatorServer();
    const client = { extCID: 'acme', integratorBaseUrl: operator.url, integrationApiKey: { file: 'key.txt' } };
    const own = { headers: { TraceParent: 'own' }, sessions: [{ sessionID: P1.sessionID, currency: 'USD' }] };
    writeFileSync(path.join(cwd, 'key.txt'), KEY);
    writeFileSync(path.join(cwd, 'croupier.yaml'), JSON.stringify({ trace: true, clients: [{ ...client, ...own }] }));
    const { status, out } = await croupier(['call', 'bet', '--amount', '1.00', '--repeat', '2', '--no-lock'], {
      cwd,
    });
    expect(status).toBe(0);
    const received = traceparentsOf(operator);
    expect(received.filter((text) => !TRACEPARENT.test(text))).toEqual([]);
    expect(new Set(received).size).toBe(received.length);
    expect(out).toContain(`trace     ${TRACEPARENT.exec(received[1] ?? '')?.[1]}`);
  });

  it('a load test gives each call a trace of its own, which its journal names', async () => {
    const cwd = temporaryFolder();
    const operator = await operatorServer();
    const rate = ['--rate', '40', '--duration', '500ms', '--journal', 'load.ndjson'];
    const address = ['--base-url', operator.url, ...AGAINST];
    await croupier(['load', '--trace', ...rate, ...address, '--linger', '50ms', '--no-history', '--no-lock'], {
      cwd,
      env: { CROUPIER_KEY: KEY },
    });
    const received = traceparentsOf(operator);
    expect(received.length).toBeGreaterThan(5);
    expect(received.filter((text) => !TRACEPARENT.test(text))).toEqual([]);
    expect(new Set(received.map((text) => TRACEPARENT.exec(text)?.[1])).size).toBe(received.length);
    const lines = readFileSync(path.join(cwd, 'load.ndjson'), 'utf8');
    const named: string[] = [];
    for await (const event of readJournal([lines]))
      if (event.event === 'sending') named.push(`00-${event.trace?.traceID}-${event.trace?.spanID}-01`);
    expect(new Set(named)).toEqual(new Set(received));
  });
});
