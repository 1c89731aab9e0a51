import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportSpans, readCollector } from '../../../src/app/signals/export-spans.ts';
import { silentStdio } from '../../../src/app/stdio.ts';
import { readJournal } from '../../../src/journal/read.ts';
import { croupier } from '../../cli/croupier.ts';
import { KEY, operatorServer, P1 } from '../../engine/operator-server.ts';
import { attribute, readRequest } from '../../report/exports/otlp-reader.ts';
import { foldOf, journalText } from '../../report/journals.ts';
import { receiver } from './receiver.ts';

const byText = (a: string, b: string): number => a.localeCompare(b);

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs one scenario against a wallet that answers a repeated bet with another txID. */
async function runAgainstWallet(cwd: string, more: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const operator = await operatorServer((called, tell) => {
    const reply = tell();
    if (called.call !== 'bet') return reply;
    return { ...reply, body: { ...(reply.body as Record<string, string>), txID: `own-${called.number}` } };
  });
  const address = ['--base-url', operator.url, '--ext-cid', 'acme', '--session', `${P1.sessionID},currency=USD`];
  const times = ['--deadline', '500ms', '--linger', '50ms', '--no-history', '--no-lock', '--journal', 'run.ndjson'];
  const ended = await croupier(['run', 'idempotency/bet', ...address, ...times, ...more], {
    cwd,
    env: { CROUPIER_KEY: KEY, ...env },
  });
  return { ...ended, operator };
}

describe('the export of spans', () => {
  it('the definitions of OpenTelemetry read the run, the scenario and every call, without secrets', async () => {
    const cwd = temporaryFolder();
    const collector = await receiver();
    const { status, err, operator } = await runAgainstWallet(cwd, ['--trace'], {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Api-Key=top%20secret%2042,X-Tenant=acme',
      OTEL_SERVICE_NAME: 'nightly',
    });
    expect(err).toBe('');
    expect(status).toBe(1);
    const [message, ...others] = collector.messages;
    expect(others).toEqual([]);
    expect(message?.path).toBe('/v1/traces');
    expect(message?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-api-key': 'top secret 42',
      'x-tenant': 'acme',
    });
    const body = message?.body ?? '';
    const request = readRequest(body);
    const [of] = request.resourceSpans;
    expect(of && attribute(of.resource, 'service.name')).toBe('nightly');
    const spans = of?.scopeSpans.flatMap((scope) => scope.spans) ?? [];
    const calls = spans.filter(({ kind }) => kind === 'SPAN_KIND_CLIENT');
    // The operator and the collector get the same ids.
    const sent = operator.calls.map(({ request: { headers } }) => String(headers.traceparent));
    expect(calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`).toSorted(byText)).toEqual(
      sent.toSorted(byText),
    );
    // A scenario that fails is played again with every balance call, so it has several attempts.
    const scenarios = spans.filter(({ name }) => name === 'idempotency/bet');
    const scenario = scenarios.at(-1);
    const run = spans.find(({ name }) => name === 'croupier run');
    expect(scenario?.links).toMatchObject([{ traceId: run?.traceId, spanId: run?.spanId }]);
    expect(scenario && attribute(scenario, 'test.case.result.status')).toBe('fail');
    expect(run && attribute(run, 'croupier.exit_code')).toBe('1');
    const failed = calls.find(({ events }) => events.length > 0);
    expect(failed).toMatchObject({ traceId: scenario?.traceId, status: { code: 'STATUS_CODE_ERROR' } });
    expect(scenarios.map(({ spanId }) => spanId)).toContain(failed?.parentSpanId);
    expect(failed?.events[0] && attribute(failed.events[0], 'croupier.rule')).toBe('idempotency.bet');
    expect(failed && attribute(failed, 'http.response.status_code')).toBe('200');
    for (const { startTimeUnixNano: start, endTimeUnixNano: end } of spans) {
      expect(BigInt(end) - BigInt(start)).toBeGreaterThanOrEqual(0n);
      expect(Math.abs(Number(BigInt(start) / 1_000_000n) - Date.now())).toBeLessThan(600_000);
    }
    const signatures = operator.calls.map((called) => String(called.request.headers['x-request-sign']));
    for (const secret of [KEY, 'top secret', `sessionID=`, ...signatures]) expect(body).not.toContain(secret);
    // The journal gives the same spans later.
    const later = await croupier(['report', 'convert', 'run.ndjson', '--to', 'otlp=spans.jsonl'], { cwd });
    expect(later.status).toBe(0);
    const again = readRequest(readFileSync(path.join(cwd, 'spans.jsonl'), 'utf8'));
    expect(again.resourceSpans[0]?.scopeSpans).toEqual(of?.scopeSpans);
  });

  it('a collector that is down or refuses spans is named in one line', async () => {
    const gone = await receiver();
    await gone.close();
    expect(await notice(`${gone.url}/base/`)).toMatch(
      /^The spans of this run are not complete in the collector at http:\/\/127\.0\.0\.1:\d+\/base\/v1\/traces: the connection was refused\. .*--to otlp=spans\.jsonl\n$/,
    );
    const partly = '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too\\u001b[31m old"}}';
    const picky = await receiver(() => 200, partly);
    expect(await notice(picky.url)).toMatch(/: it rejected 2 spans \(too\\x1b\[31m old\)\. .*\n$/);
    const moved = await receiver(() => 302);
    expect(await notice(moved.url)).toMatch(/: it was answered 302\. /);
    expect(moved.messages).toHaveLength(1);
  });

  it('a request that is answered 503 twice is sent again, and then accepted', async () => {
    const busy = await receiver((number) => (number < 2 ? 503 : 200));
    expect(await notice(busy.url)).toBe('');
    expect(new Set(busy.messages.map(({ body }) => body)).size).toBe(1);
    expect(busy.messages).toHaveLength(3);
  });

  it.each([
    ['localhost:4318', '', /--otlp: localhost:4318 is not the URL of a collector/],
    ['http://user:hunter2hunter2@127.0.0.1:1', '', /must not contain a user or password/],
    ['http://127.0.0.1:1', 'hunter2hunter2', /OTEL_EXPORTER_OTLP_HEADERS must be a list/],
  ])('a mistake in the settings is refused, without secrets in the message: %s', (url, headers, message) => {
    const refused = () => readCollector(url, { env: { OTEL_EXPORTER_OTLP_HEADERS: headers }, hide: () => {} });
    expect(refused).toThrow(message);
    expect(refused).not.toThrow(/hunter2/);
  });
});

/** Exports the spans of a finished run, and returns the text that is printed. */
async function notice(url: string): Promise<string> {
  const collector = readCollector(url, { env: {}, hide: () => {} });
  const open = () => readJournal([journalText('failing')]);
  const played = { fold: await foldOf('failing'), open, journal: 'run.ndjson' };
  let printed = '';
  const write = (text: string): void => {
    printed += text;
  };
  const err = { ...silentStdio('/', {}).err, write };
  await exportSpans(played, collector, { stdio: { err }, scrub: (text) => text, signal: new AbortController().signal });
  return printed;
}
