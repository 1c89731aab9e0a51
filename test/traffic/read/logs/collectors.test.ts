import { describe, expect, it } from 'vitest';
import { recordedCall } from '../../../../src/traffic/recorded-call.ts';
import { buildTimeline } from '../../../../src/traffic/timeline/timeline.ts';
import { entriesIn, exchangesIn } from '../entries-in.ts';

const AT = '2026-11-21T13:03:07.123Z';
const AT_MS = Date.parse(AT);
const SENT = '{"amount":"2.00","roundID":"r-1","sessionID":"s-1","txID":"t-1","type":"regular"}';
const REPLY = '{"balance":"8.00","txID":"o-1"}';
const UNTIMED = { method: 'POST', url: '/bet', status: 200, requestBody: SENT, responseBody: REPLY };
const json = (value: unknown): string => JSON.stringify(value);
const LINE = json({ time: AT, ...UNTIMED });
const BARE = json(UNTIMED);
const inCsv = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const cell = (field: string, value: string) => ({ field, value });
const underscored = Object.fromEntries(Object.entries(UNTIMED).map(([name, value]) => [`_${name}`, value]));
const row = (comma: string): string => [AT, 'POST', '/bet', '200', inCsv(SENT), inCsv(REPLY)].join(comma);
const octets = (message: string): string => `${Buffer.byteLength(message)} ${message}`;
const partsOf = (line: string): string =>
  [`P ${line.slice(0, 60)}`, `P ${line.slice(60, 90)}`, `F ${line.slice(90)}`]
    .map((part) => `2026-11-21T13:03:07.123000000Z stdout ${part}`)
    .join('\n');

/** The calls that a log with bodies shows. */
async function logged(log: string) {
  const exchanges = await exchangesIn(log);
  const calls = exchanges.flatMap((exchange) => recordedCall(exchange) ?? []);
  return buildTimeline(calls, {}, new Map()).calls.map(({ seen, atMs, balance, status, ending }) => ({
    call: seen.call,
    atMs,
    session: seen.sessionID,
    tx: seen.txID,
    amount: seen.amount,
    status,
    balance: balance?.toString(),
    ending,
  }));
}

const BET = { call: 'bet', session: 's-1', tx: 't-1', amount: '2.00', status: 200, balance: '8', ending: 'accepted' };

describe('a line in the format of a log collector', () => {
  it.each([
    ['docker, its JSON files', json({ log: `${LINE}\n`, stream: 'stdout', time: '2026-11-21T13:03:08Z' })],
    ['docker compose logs', `wallet-1  | ${LINE}`],
    ['docker logs -t', `2026-11-21T13:03:07.123000000Z ${BARE}`],
    ['containerd', `2026-11-21T13:03:07.123000000Z stdout F ${BARE}`],
    ['kubectl logs --prefix', `[pod/wallet-7d9f/wallet] ${LINE}`],
    ['syslog', `Nov 21 13:03:07 host wallet[12]: ${LINE}`],
    ['syslog, RFC 5424', `<134>1 ${AT} host wallet 12 - - ${BARE}`],
    ['CloudWatch, events', json({ events: [{ timestamp: AT_MS, message: BARE, eventId: '1' }] })],
    [
      'CloudWatch, events over several lines',
      JSON.stringify({ events: [{ timestamp: AT_MS, message: BARE }] }, null, 2),
    ],
    ['CloudWatch, CSV', `@timestamp,@message\n2026-11-21 13:03:07.123,${inCsv(BARE)}`],
    ['Loki, logcli', json({ labels: { app: 'wallet' }, line: LINE, timestamp: '2026-11-21T13:03:08Z' })],
    ['Loki, its API', json({ data: { result: [{ stream: { app: 'w' }, values: [[`${AT_MS}000000`, BARE]] }] } })],
    ['Grafana', JSON.stringify([{ line: BARE, timestamp: `${AT_MS}000000`, fields: {} }], null, 1)],
    ['Elasticsearch', json({ hits: { total: { value: 1 }, hits: [{ _source: { '@timestamp': AT, ...UNTIMED } }] } })],
    ['Splunk', json({ preview: false, result: { _time: AT, _raw: BARE } })],
    [
      'CloudWatch, results of Insights',
      JSON.stringify(
        { queryLanguage: 'CWLI', results: [[cell('@timestamp', '2026-11-21 13:03:07.123'), cell('@message', BARE)]] },
        null,
        2,
      ),
    ],
    ['journald, its JSON', json({ __REALTIME_TIMESTAMP: `${AT_MS}000`, MESSAGE: BARE })],
    [
      'journald, with the bytes of the message',
      json({ __REALTIME_TIMESTAMP: `${AT_MS}000`, MESSAGE: [...Buffer.from(BARE)] }),
    ],
    ['GELF', json({ version: '1.1', host: 'w', timestamp: AT_MS / 1000, short_message: 'POST /bet', ...underscored })],
    ['GELF with a message of JSON', json({ version: '1.1', host: 'w', timestamp: AT_MS / 1000, short_message: BARE })],
    ['a table with tabs', `time\tmethod\turl\tstatus\trequestBody\tresponseBody\n${row('\t')}`],
    ['a table with bars', `time|method|url|status|requestBody|responseBody\n${row('|')}`],
    ['containerd, in two parts', partsOf(BARE)],
    ['syslog, RFC 6587 with lengths', octets(`<134>1 ${AT} host wallet 12 - - ${BARE}`)],
    ['Cloud Logging', json({ timestamp: AT, severity: 'INFO', jsonPayload: UNTIMED })],
    ['logstash', json({ '@timestamp': AT, message: BARE, level: 'INFO' })],
    ['logback', `2026-11-21 13:03:07,123 INFO  [http-nio-1] c.a.Wallet - ${BARE}`],
    ['monolog', `[2026-11-21T13:03:07.123+00:00] wallet.INFO: bet ${BARE} []`],
    [
      'logfmt',
      `time=${AT} level=INFO method=POST path=/bet status=200 request_body=${json(SENT)} response_body=${json(REPLY)}`,
    ],
    [
      'Serilog',
      json({
        '@t': AT,
        RequestMethod: 'POST',
        RequestPath: '/bet',
        StatusCode: 200,
        RequestBody: SENT,
        ResponseBody: REPLY,
      }),
    ],
  ])('is read with all its fields: %s', async (_, log) => {
    expect(await logged(`${log}\n`)).toEqual([{ ...BET, atMs: AT_MS }]);
  });

  it.each([
    ['nginx', '1.2.3.4 - - [21/Nov/2026:13:03:07 +0000] "POST /bet HTTP/1.1" 200 35 "-" "agent" 5.200', 5200],
    [
      'its ingress',
      '1.2.3.4 - - [21/Nov/2026:13:03:07 +0000] "POST /bet HTTP/1.1" 200 35 "-" "agent" 405 5.200 [default-w-80] [] 10.0.0.1:80 35 0.012 200 abc',
      5200,
    ],
    [
      'Apache with virtual hosts',
      'wallet.example:443 1.2.3.4 - - [21/Nov/2026:14:03:07 +0100] "POST /bet HTTP/1.1" 200 35 "-" "agent"',
      null,
    ],
    [
      'HAProxy',
      'Nov 21 13:03:07 lb haproxy[1]: 10.0.0.1:1234 [21/Nov/2026:13:03:07] fe be/srv1 0/0/1/5199/5200 200 123 - - ---- 1/1/0/0/0 0/0 "POST /bet HTTP/1.1"',
      5200,
    ],
    [
      'Envoy',
      '[2026-11-21T13:03:07Z] "POST /bet HTTP/1.1" 200 - via_upstream - "-" 105 35 5200 5199 "-" "agent" "id" "host" "10.0.0.1:80"',
      5200,
    ],
    [
      'Envoy in JSON',
      json({ start_time: '2026-11-21T13:03:07Z', method: 'POST', path: '/bet', response_code: 200, duration: 5200 }),
      5200,
    ],
    [
      'a load balancer of AWS',
      'https 2026-11-21T13:03:07Z app/my/1 1.2.3.4:5 10.0.0.1:80 0.000 5.200 0.000 200 200 34 366 "POST https://h:443/bet HTTP/1.1" "agent" -',
      5200,
    ],
    [
      'Caddy',
      json({
        ts: 1795266187,
        logger: 'http.log.access',
        request: { method: 'POST', uri: '/bet' },
        duration: 5.2,
        status: 200,
        resp_headers: {},
      }),
      5200,
    ],
    [
      'Traefik',
      json({
        DownstreamStatus: 200,
        Duration: 5_200_000_000,
        RequestMethod: 'POST',
        RequestPath: '/bet',
        StartUTC: '2026-11-21T13:03:07Z',
        time: '2026-11-21T13:03:13Z',
      }),
      5200,
    ],
    [
      'Cloud Logging',
      json({
        timestamp: '2026-11-21T13:03:07Z',
        httpRequest: { requestMethod: 'POST', requestUrl: 'https://h/bet', status: 200, latency: '5.200s' },
      }),
      5200,
    ],
  ])('is read with its duration: %s', async (_, line, tookMs) => {
    const [exchange, ...others] = await exchangesIn(`${line}\n`);
    expect(others).toEqual([]);
    expect(exchange).toMatchObject({
      tookMs,
      answer: { status: 200 },
      time: { ms: Date.parse('2026-11-21T13:03:07Z') },
    });
    expect(exchange && recordedCall(exchange)?.call).toBe('bet');
  });
});

it('a line that only resembles a call is not read as one', async () => {
  const lines = [
    'INFO a=1 b=2 c=3 started',
    'wallet-1  | listening on :8080',
    json({ type: 'request', msg: 'hello' }),
    'x {"a":1}',
  ];
  const kinds = (await entriesIn(lines.join('\n'))).map(({ kind }) => kind);
  expect(kinds).toEqual(['unreadable', 'unreadable', 'other', 'other']);
});

describe('messages of syslog without line breaks', () => {
  const call = (tx: string): string =>
    `<134>1 ${AT} host wallet 12 - - ${json({ ...UNTIMED, requestBody: SENT.replace('t-1', tx) })}`;
  const [first, second, third] = [call('t-1'), call('t-ü'), call('t-3')];
  const txsIn = async (log: string) => (await logged(log)).map(({ tx }) => tx);

  it('are all read', async () => {
    expect(await txsIn([first, second, third].map(octets).join(''))).toEqual(['t-1', 't-ü', 't-3']);
    expect(await txsIn([first, second, third].map((one) => octets(`${one}\n`)).join(''))).toHaveLength(3);
  });

  it('are read too if a length counts characters in place of bytes', async () => {
    const log = [first, second, third].map((one) => `${one.length} ${one}`).join('');
    expect(await txsIn(log)).toEqual(['t-1', 't-ü', 't-3']);
  });

  it('are reported if the last one is cut off', async () => {
    const entries = await entriesIn([first, second].map(octets).join('').slice(0, -30));
    expect(entries.map(({ kind }) => kind)).toEqual(['exchange', 'exchange']);
    expect(await entriesIn(`${octets(first)}${octets(second).slice(0, 150)}`)).toHaveLength(2);
  });
});

describe('the parts of lines that containerd has split', () => {
  const part = (stream: string, text: string): string => `2026-11-21T13:03:07.123000000Z ${stream} ${text}`;

  it('are joined for each stream, at the line of the last part', async () => {
    const lines = [
      part('stdout', `P ${BARE.slice(0, 50)}`),
      part('stderr', 'F a warning'),
      part('stdout', `F ${BARE.slice(50)}`),
    ];
    const exchanges = await exchangesIn(lines.join('\n'));
    expect(exchanges.map(({ place }) => place.line)).toEqual([3]);
  });

  it('are reported if the last part is missing', async () => {
    const entries = await entriesIn(`${part('stdout', `F ${BARE}`)}\n${part('stdout', `P ${BARE.slice(0, 150)}`)}\n`);
    expect(entries).toHaveLength(2);
  });
});

describe('two calls on one line of text', () => {
  it('are not read as one call', async () => {
    const other = json({ ...UNTIMED, requestBody: SENT.replace('t-1', 't-2') });
    const entries = await entriesIn(`${AT} INFO ${BARE} ${other}\n`);
    expect(entries.map(({ kind }) => kind)).toEqual(['unreadable']);
  });
});

describe('a table with decimal commas', () => {
  it.each([
    ['1,50', '1.5'],
    ['1.234,50', '1234.5'],
    ['0,005', '0.005'],
    ['0,00000001', '1e-8'],
    // These may be thousands.
    ['1,234', undefined],
  ])('is read if the comma can only be a decimal comma: %s', async (written, read) => {
    const log = `time;method;url;status;balance\n${AT};GET;/balance?sessionID=s-1;200;${written}\n`;
    const [call] = await logged(log);
    expect(call?.balance === undefined ? undefined : String(Number(call.balance))).toBe(read);
  });
});
