import { describe, expect, it } from 'vitest';
import { logForm } from '../../../../src/traffic/read/logs/log-form.ts';
import { recordedCall } from '../../../../src/traffic/recorded-call.ts';
import { buildTimeline } from '../../../../src/traffic/timeline/timeline.ts';
import { exchangesIn } from '../entries-in.ts';

const AT = '2026-11-21T13:03:07.123Z';
const AT_MS = Date.parse(AT);
const SENT = '{"amount":"2.00","roundID":"r-1","sessionID":"s-1","txID":"t-1","type":"regular"}';
const REPLY = '{"balance":"8.00","txID":"o-1"}';
const json = (value: unknown): string => JSON.stringify(value);

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

describe('the id of a connection of ASP.NET Core in brackets', () => {
  it.each(['[11-0HN80A]', '[0HN80AF5JTQ2M:00000001]'])('joins the lines of one request: %s', async (id) => {
    const line = (own: string, text: string): string => `2026-11-21 13:03:07.123 +00:00 [INF] ${own} ${text}`;
    const other = id.replace('80A', '99B');
    const log = [
      line(id, `Request POST /bet ${SENT}`),
      line(other, `Request POST /bet ${SENT.replace('t-1', 't-2')}`),
      line(other, 'Response 402 {"code":"insufficient_funds","message":"no"}'),
      line(id, `Response 200 ${REPLY}`),
    ];
    expect((await logged(log.join('\n'))).map(({ tx, status }) => [tx, status])).toEqual(
      expect.arrayContaining([
        ['t-1', 200],
        ['t-2', 402],
      ]),
    );
  });
});

describe('a request and its reply on two lines', () => {
  const asked = (id: string, at: string) => ({
    reqId: id,
    time: at,
    req: { method: 'POST', url: '/bet', body: JSON.parse(SENT) as unknown },
  });
  const done = (id: string, at: string) => ({
    reqId: id,
    time: at,
    res: { statusCode: 200, body: REPLY },
    msg: 'request completed',
  });

  it('are joined by their id, also if other lines come between', async () => {
    const lines = [
      asked('a', AT),
      asked('b', AT),
      done('b', '2026-11-21T13:03:14.123Z'),
      done('a', '2026-11-21T13:03:07.323Z'),
    ];
    const found = await exchangesIn(lines.map(json).join('\n'));
    expect(found.map(({ tookMs, place, answer }) => [place.line, tookMs, answer.kind])).toEqual([
      [2, 7000, 'reply'],
      [1, 200, 'reply'],
    ]);
  });

  it('are joined in the format of Logbook', async () => {
    const log = [
      { type: 'request', correlation: 'c', method: 'POST', uri: 'https://h/bet', body: JSON.parse(SENT) as unknown },
      { type: 'response', correlation: 'c', duration: 40, status: 200, body: JSON.parse(REPLY) as unknown },
    ].map((message) => json({ '@timestamp': AT, message: json(message) }));
    expect(await logged(log.join('\n'))).toEqual([{ ...BET, atMs: AT_MS }]);
  });

  it('give one call if the last line repeats the request', async () => {
    const both = { ...done('a', AT), req: { method: 'POST', url: '/bet' } };
    expect(await logged([asked('a', AT), both].map(json).join('\n'))).toEqual([{ ...BET, atMs: AT_MS }]);
  });

  it('give two calls if the id is used again for another request', async () => {
    const later = { ...asked('a', AT), req: { method: 'POST', url: '/bet', body: SENT.replace('t-1', 't-2') } };
    const found = await exchangesIn([asked('a', AT), later, done('a', AT)].map(json).join('\n'));
    expect(found.map(({ answer }) => answer.kind)).toEqual(['unknown', 'reply']);
  });

  it('give a call with an unknown end if no reply was logged', async () => {
    expect(await logged(json(asked('a', AT)))).toMatchObject([{ status: null, ending: 'unknown' }]);
  });
});

describe('a reply that is logged before its request', () => {
  const line = (id: string, second: string, more: object) => ({
    time: `2026-11-21T13:03:${second}Z`,
    traceId: id,
    ...more,
  });
  const asked = (id: string, second: string, tx: string) =>
    line(id, second, { method: 'POST', url: '/bet', requestBody: SENT.replace('t-1', tx) });
  const answered = (id: string, second: string, status: number) =>
    line(id, second, { status, responseBody: status === 200 ? REPLY : '{"code":"x","message":"no"}' });
  const resultOf = async (log: string) => (await logged(log)).map(({ tx, status }) => [tx, status]);
  const newestFirst = [
    answered('b', '12.040', 402),
    asked('b', '12.000', 't-2'),
    answered('a', '07.040', 200),
    asked('a', '07.000', 't-1'),
  ];

  it('is joined by its id, because the newest line comes first', async () => {
    const inOrder = [
      ['t-1', 200],
      ['t-2', 402],
    ];
    expect(await resultOf(newestFirst.map(json).join('\n'))).toEqual(inOrder);
    const hits = newestFirst.map((_source) => ({ _source }));
    expect(await resultOf(json({ took: 3, hits: { hits } }))).toEqual(inOrder);
    expect(await resultOf(json({ took: 3, hits: { hits: hits.toReversed() } }))).toEqual(inOrder);
  });

  it('is joined in a document on one line, in which a call without a reply keeps its place', async () => {
    const lines = [asked('z', '05.000', 't-0'), ...newestFirst.toReversed()];
    const document = json({ hits: { hits: lines.map((_source) => ({ _source })) } });
    const found = (await exchangesIn(document)).flatMap((exchange) => recordedCall(exchange) ?? []);
    expect(found.map(({ txID }) => txID)).toEqual(['t-0', 't-1', 't-2']);
  });

  it('is not the reply of a later attempt with the same id', async () => {
    const log = [asked('a', '12.000', 't-1'), answered('a', '07.040', 200), asked('a', '07.000', 't-1')];
    expect(await resultOf(log.map(json).join('\n'))).toEqual([
      ['t-1', 200],
      ['t-1', null],
    ]);
    const doubled = [
      asked('a', '07', 't-1'),
      answered('a', '07', 200),
      answered('a', '07', 200),
      asked('a', '07', 't-2'),
    ];
    expect(await resultOf(doubled.map(json).join('\n'))).toEqual([
      ['t-1', 200],
      ['t-2', null],
    ]);
  });

  it('is not joined without an id', async () => {
    const text = ({ traceId: _traceId, ...others }: ReturnType<typeof line>): string => Object.values(others).join(' ');
    expect(await resultOf(newestFirst.map((one) => text(one)).join('\n'))).toEqual([
      ['t-1', null],
      ['t-2', null],
    ]);
  });
});

describe('two lines of text without an id', () => {
  const sent = (tx: string) => `POST /bet {"sessionID":"s-${tx}","txID":"${tx}","amount":"1.00"}`;

  it('are joined if no other request is between them', async () => {
    const log = `2026-11-21 10:00:00.000 in ${sent('a')}\n2026-11-21 10:00:00.050 out 200 {"balance":"9.00"}\n`;
    const [only, ...others] = await exchangesIn(log);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ answer: { kind: 'reply', status: 200 }, tookMs: 50 });
  });

  it('are not joined if two requests were in progress, because the order of the replies is unknown', async () => {
    const log = [
      `2026-11-21 10:00:00.000 in ${sent('a')}`,
      `2026-11-21 10:00:00.010 in ${sent('b')}`,
      '2026-11-21 10:00:00.050 out 200 {"balance":"9.00"}',
      '2026-11-21 10:00:00.060 out 402 {"code":"insufficient_funds","message":"m"}',
      '',
    ].join('\n');
    const all = await exchangesIn(log);
    expect(all.map(({ answer }) => answer.kind)).toEqual(['unknown', 'unknown']);
  });

  it('are not joined if two balance calls of different sessions were in progress', async () => {
    const log = [
      '2026-11-21 10:00:00.000 in GET /balance?sessionID=s-1',
      '2026-11-21 10:00:00.010 in GET /balance?sessionID=s-2',
      '2026-11-21 10:00:00.050 out 200 {"balance":"2.00"}',
      '2026-11-21 10:00:00.060 out 200 {"balance":"1.00"}',
      '',
    ].join('\n');
    const all = await exchangesIn(log);
    expect(all.map(({ request, answer }) => [request.url, answer.kind])).toEqual([
      ['/balance?sessionID=s-1', 'unknown'],
      ['/balance?sessionID=s-2', 'unknown'],
    ]);
  });
});

describe('lines of text with calls of another provider, whose replies have no field of the contract', () => {
  const request = (second: number, url: string, body: string): string =>
    `2026-11-24T18:42:0${second}.000Z INFO request POST ${url} ${body}\n`;
  const reply = (second: number, body: string): string =>
    `2026-11-24T18:42:0${second}.020Z INFO response 200 ${body}\n`;
  const BET = '{"amount":"5.00","roundID":"r-1","sessionID":"s-1","txID":"t-1","type":"regular"}';
  const OTHER = '{"userId":"55","amount":"5.00","reference":"r-9"}';

  it('are joined, so the replies to the calls of the contract are found', async () => {
    const log =
      request(1, '/other/bet', OTHER) +
      reply(1, '{"transactionId":"9"}') +
      request(2, '/wallet/bet', BET) +
      reply(2, '{"balance":"95.00","txID":"o-1"}');
    const all = await exchangesIn(log);
    expect(all.map(({ request: { url }, answer }) => [url, answer.kind])).toEqual([
      ['/other/bet', 'reply'],
      ['/wallet/bet', 'reply'],
    ]);
  });

  it('never give such a reply to a call of the contract', async () => {
    const log =
      request(1, '/wallet/bet', BET) + reply(1, '{"bonus":"9"}') + reply(2, '{"balance":"95.00","txID":"o-1"}');
    const [bet] = await exchangesIn(log);
    expect(bet?.answer).toMatchObject({
      kind: 'reply',
      status: 200,
      body: { data: '{"balance":"95.00","txID":"o-1"}' },
    });
  });
});

describe('lines of text of an HTTP client', () => {
  const URL = 'https://h/wallet/bet';
  const ANSWERED = { status: 402, body: { data: '{"code":"no","message":"no"}' } };

  it.each([
    [
      'with the status after an arrow and before the URL',
      `→ POST ${URL} ${SENT}`,
      `← 402 POST ${URL} (9 ms) ${ANSWERED.body.data}`,
    ],
    ['with a duration after the status', `POST ${URL} payload=${SENT}`, `402 in 0.009s: ${ANSWERED.body.data}`],
    [
      'with a duration in parentheses',
      `POST ${URL} payload=${SENT}`,
      `402 Payment Required (9 ms) ${ANSWERED.body.data}`,
    ],
  ])('are joined to one call: %s', async (_what, sent, answer) => {
    const all = await exchangesIn(`${AT} INFO client ${sent}\n${AT} INFO client ${answer}\n`);
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({ request: { url: URL, body: { data: SENT } }, answer: ANSWERED });
  });

  const FAILED = `org.client.ResourceAccessException: I/O error on POST request for "${URL}": Read timed out`;

  it.each([
    ['without an id', 'client'],
    ['with the name of a thread', '[pool-1-thread-7] client'],
  ])('give the reason of an exception to the request that it names: %s', async (_what, own) => {
    const log = `${AT} INFO ${own} - POST ${URL} ${SENT}\n${AT} ERROR ${own} - call failed\n${FAILED}\n\tat a.B(C.java:1)\n`;
    const all = await exchangesIn(log, logForm({ side: 'service' }));
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({ request: { body: { data: SENT } }, answer: { kind: 'none', reason: 'too-late' } });
  });

  it('do not give the reason of an exception to another call', async () => {
    const log = `${AT} INFO [pool-1-thread-7] client - POST ${URL.replace('bet', 'win')} ${SENT}\n${FAILED}\n`;
    const [win] = (await exchangesIn(log, logForm({ side: 'service' }))).filter(({ time }) => time !== null);
    expect(win?.answer).toEqual({ kind: 'unknown' });
  });
});

describe('a line that lacks its end', () => {
  const whole = (second: string, player: string, tx: string): string =>
    `2026-11-21T13:03:${second}Z INFO player=${player} POST /eu/win request=${SENT.replace('t-1', tx)} status=200 response=${REPLY}`;
  const rest = (player: string): string => `2026-11-21T13:03:08.000Z INFO player=${player} POST /eu/win req`;

  it.each(['p-1', 'p-2'])('is not joined with the next call, also if it has the player %s', async (player) => {
    const log = [whole('07.000', 'p-1', 't-1'), rest(player), whole('09.000', 'p-1', 't-2')].join('\n');
    expect((await logged(`${log}\n`)).map(({ tx, ending }) => [tx, ending])).toEqual([
      ['t-1', 'accepted'],
      [null, 'unknown'],
      ['t-2', 'accepted'],
    ]);
  });

  it('is not joined with a call of another player, also if it is the first line', async () => {
    const log = [rest('p-2'), whole('09.000', 'p-1', 't-2')].join('\n');
    expect((await logged(`${log}\n`)).map(({ tx }) => tx)).toEqual([null, 't-2']);
  });
});
