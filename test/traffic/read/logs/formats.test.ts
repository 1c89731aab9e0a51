import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type RecordedCall, recordedCall } from '../../../../src/traffic/recorded-call.ts';
import { entriesIn } from '../entries-in.ts';

const FOLDER = 'fixtures/logs';
const TX = '0c9e1d20-77aa-4b6e-8f2d-00000000000';

/** The calls that every file of the folder contains: each with its begin, its end, its amount and its reply. */
const CALLS = [
  { call: 'balance', from: '05.100', to: '05.108', tx: null, amount: null, status: 200, reply: '100.00' },
  { call: 'bet', from: '07.123', to: '07.165', tx: `${TX}1`, amount: '5.00', status: 200, reply: '95.00' },
  { call: 'win', from: '09.480', to: '09.515', tx: `${TX}2`, amount: '8.00', status: 200, reply: '103.00' },
  { call: 'bet', from: '12.650', to: '12.662', tx: `${TX}3`, amount: '2.00', status: 402, reply: 'insufficient_funds' },
] as const;

/** Logs of servers and gateways, which have no bodies. */
const WITHOUT_BODIES = [
  'apache-combined.log',
  'apache.ndjson',
  'api-gateway-access.ndjson',
  'api-gateway-clf.log',
  'aws-alb.log',
  'azure-appservice.ndjson',
  'cloudflare.ndjson',
  'dotnet-httpclient.log',
  'envoy.log',
  'envoy.ndjson',
  'gcp-lb.json',
  'gin.log',
  'haproxy.log',
  'iis.log',
  'nginx-combined.log',
];
/** Logs without bodies that also lack the query, so they name no session. */
const WITHOUT_QUERY = ['api-gateway-access.ndjson', 'api-gateway-clf.log'];
/** Logs that have the bodies of the requests, but not those of the replies. */
const WITHOUT_REPLIES = ['phoenix.log', 'python-http-client.txt', 'rails.log', 'rails-tagged.log', 'resttemplate.log'];
/** Logs that name the player of each call. */
const WITH_PLAYER = [
  'datadog.ndjson',
  'ecs.ndjson',
  'elasticsearch-hits.json',
  'kibana.csv',
  'logback-json.ndjson',
  'logback-mdc.log',
  'logstash-encoder.ndjson',
];
/** Logs that have only the time of day. */
const WITHOUT_DATE = ['pino-pretty-time-of-day.log'];
/** Files whose first entry is the newest. */
const NEWEST_FIRST = [
  'datadog-columns.csv',
  'datadog-message.csv',
  'elasticsearch-hits.json',
  'gcp-app.json',
  'grafana-loki.csv',
  'kibana.csv',
  'kibana-message.csv',
  'newest-first.ndjson',
  'newrelic-export.json',
  'newrelic-nerdgraph.json',
  'newrelic-query.json',
  'splunk.csv',
];

describe('a log with four calls', () => {
  it.each(readdirSync(FOLDER))('is read with all that it contains: %s', async (file) => {
    const all = await entriesIn(readFileSync(`${FOLDER}/${file}`));
    const calls = all.flatMap((entry) => (entry.kind === 'exchange' ? (recordedCall(entry.exchange) ?? []) : []));
    if (NEWEST_FIRST.includes(file)) calls.reverse();
    const hasBodies = !WITHOUT_BODIES.includes(file);
    expect(calls.map((call) => shown(call, hasBodies))).toEqual(
      CALLS.map(({ call, tx, amount, status, reply }) => ({
        call,
        session: hasBodies || (call === 'balance' && !WITHOUT_QUERY.includes(file)) ? 's-7731' : null,
        status,
        player: WITH_PLAYER.includes(file) ? '4711' : null,
        ...(hasBodies && { tx, amount, reply: WITHOUT_REPLIES.includes(file) ? undefined : reply }),
      })),
    );
    if (WITHOUT_DATE.includes(file)) expect(calls.every(({ exchange }) => exchange.isDateless)).toBe(true);
    else for (const [at, { from, to }] of CALLS.entries()) expectTime(calls[at], from, to);
  });
});

function shown({ exchange, call, sessionID, txID, amount, player }: RecordedCall, hasBodies: boolean) {
  const { answer } = exchange;
  const text = answer.kind === 'reply' && answer.body ? answer.body.data : '{}';
  const { balance, code } = JSON.parse(text) as { balance?: string; code?: string };
  const status = answer.kind === 'reply' ? answer.status : answer.kind;
  const money = hasBodies && { tx: txID, amount, reply: balance ?? code };
  return { call, session: sessionID, status, player, ...money };
}

function expectTime(call: RecordedCall | undefined, from: string, to: string): void {
  const time = call?.exchange.time;
  if (!time) throw new Error('no time was read');
  const [begin, end] = [from, to].map((second) => Date.parse(`2026-11-23T13:03:${second}Z`));
  expect(time.ms).toBeGreaterThanOrEqual((begin ?? 0) - time.precisionMs);
  expect(time.ms).toBeLessThanOrEqual((end ?? 0) + 1);
}
