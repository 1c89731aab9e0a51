import { describe, expect, it } from 'vitest';
import { bodyText } from '../../../../src/journal/exchange.ts';
import { entriesIn, exchangesIn } from '../entries-in.ts';

const BET = { amount: '5.00', roundID: 'r-1', sessionID: 's-1', txID: 't-1', type: 'regular' };
const REPLY = { balance: '95.00', txID: 'o-1' };
const TIME = '2026-11-23 13:03:07,123 INFO  [exec-1] c.e.w.Log - ';

const read = async (text: string) =>
  (await exchangesIn(text)).map(({ request, answer, time, tookMs, place }) => ({
    line: place.line,
    at: time === null ? null : new Date(time.ms).toISOString(),
    tookMs,
    sent: request.body === null || request.body === 'unknown' ? null : (JSON.parse(bodyText(request.body)) as unknown),
    status: answer.kind === 'reply' ? answer.status : answer.kind,
    reply: answer.kind === 'reply' && answer.body ? (JSON.parse(bodyText(answer.body)) as unknown) : null,
  }));
const pretty = (value: object, indent = ''): string => JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
const field = (name: string, value: unknown): string => `    ${name}: ${pretty(value as object, '    ')}\n`;

describe('JSON on lines of its own after a line of text', () => {
  const body = { sent: BET, status: 200, reply: REPLY };

  it.each([
    ['begins on the next line', `${TIME}POST /eu/bet\n${pretty(BET)}\n${TIME}200\n${pretty(REPLY)}\n`],
    ['begins at the end of the line', `${TIME}POST /eu/bet ${pretty(BET)} -> 200 ${pretty(REPLY)}\n`],
    [
      'is indented',
      `${TIME}POST /eu/bet request\n    ${pretty(BET, '    ')}\n${TIME}status=200\n\t${pretty(REPLY, '\t')}\n`,
    ],
    ['is one line', `${TIME}POST /eu/bet\n${JSON.stringify(BET)}\n${TIME}Response: 200\n${JSON.stringify(REPLY)}\n`],
  ])('is the body of the call if it %s', async (_, text) => {
    expect(await read(text)).toMatchObject([{ line: 1, at: '2026-11-23T13:03:07.123Z', ...body }]);
  });

  it('does not take lines of other entries', async () => {
    const entry = JSON.stringify({
      time: '2026-11-23T13:03:08Z',
      method: 'GET',
      url: '/eu/balance?sessionID=s-1',
      status: 200,
    });
    const text = `${TIME}starting\n${entry}\n${TIME}config {\n${TIME}POST /eu/bet ${JSON.stringify(BET)} -> 200 ${JSON.stringify(REPLY)}\n${TIME}done\n`;
    const all = await entriesIn(text);
    expect(all.map((one) => (one.kind === 'exchange' ? one.exchange.place.line : `${one.kind} ${one.line}`))).toEqual([
      'unreadable 1',
      2,
      'unreadable 3',
      4,
      'unreadable 5',
    ]);
    expect(all[2]).toMatchObject({ text: `${TIME}config {` });
  });

  it('may end before its last brace, if the next entry begins', async () => {
    const text = `${TIME}POST /eu/bet\n{\n  "amount": "5.00",\n  "sessionID": "s-1",\n  "txID": "t-\n${TIME}status=200 {"balance":"95.00"}\n`;
    const [exchange] = await exchangesIn(text);
    expect(exchange).toMatchObject({ request: { body: { truncated: true } }, answer: { status: 200 } });
  });
});

describe('the output of pino-pretty', () => {
  const req = { id: 1, method: 'POST', url: '/eu/bet', body: BET };
  const res = { statusCode: 200, body: REPLY };

  it.each([
    [
      'with a date',
      '[2026-11-23 13:03:07.165 +0000] INFO (1 on wallet): request completed',
      '2026-11-23T13:03:07.165Z',
    ],
    [
      'with milliseconds since 1970',
      '[1795438987165] INFO (wallet/1 on w1): request completed',
      '2026-11-23T13:03:07.165Z',
    ],
    ['without a date, so the time is not known', '[13:03:07.165] INFO (1234): request completed', null],
    ['without the process', '[13:03:07.165] WARN: request completed', null],
  ])('is read %s', async (_, head, at) => {
    const text = `${head}\n${field('req', req)}${field('res', res)}${field('responseTime', 42)}`;
    expect(await read(`${text}${text}`)).toMatchObject([
      { line: 1, at, sent: BET, status: 200, reply: REPLY, tookMs: 42 },
      { at },
    ]);
  });

  it('is joined with the entry of the reply', async () => {
    const head = '[2026-11-23 13:03:07.123 +0000] INFO (1): ';
    const text = [
      `${head}incoming request\n${field('reqId', 'req-1')}${field('req', { method: 'POST', url: '/eu/bet' })}`,
      `${head}parsed body\n${field('reqId', 'req-1')}${field('body', BET)}`,
      `${head}response\n${field('reqId', 'req-1')}${field('payload', JSON.stringify(REPLY))}`,
      `${head}request completed\n${field('reqId', 'req-1')}${field('res', { statusCode: 200 })}`,
    ].join('');
    expect(await read(text)).toMatchObject([{ sent: BET, status: 200, reply: REPLY }]);
  });

  it('may have a stack, which is no JSON', async () => {
    const stack = [
      '    err: {',
      '      "type": "Error",',
      '      "message": "socket hang up",',
      '      "stack":',
      '          Error: socket hang up',
      '              at Socket.end (node:net:1:2) {',
      '    }',
    ].join('\n');
    const text = `[2026-11-23 13:03:07.165 +0000] ERROR (1): request failed\n${field('req', req)}${stack}\n${field('responseTime', 42)}`;
    const [exchange] = await exchangesIn(text);
    expect(exchange).toMatchObject({ tookMs: 42, answer: { kind: 'none', reason: 'reset', detail: 'socket hang up' } });
  });

  it('without fields is one line of text', async () => {
    const text = `[13:03:07.165] INFO (1): POST /eu/bet ${JSON.stringify(BET)} -> 200 ${JSON.stringify(REPLY)}\n`;
    expect(await read(text)).toMatchObject([{ sent: BET, status: 200, reply: REPLY }]);
  });
});

describe('HTTP that Logbook has written', () => {
  const head = (second: string, text: string): string =>
    `2026-11-23 13:03:${second} TRACE 1 --- [exec-1] org.zalando.logbook.Logbook : ${text}`;
  const request = (second: string, id: string, tx: string, way = 'Incoming'): string =>
    `${head(second, `${way} Request: ${id}`)}\nRemote: 10.0.3.7\nPOST http://wallet.example/eu/bet HTTP/1.1\nX-REQUEST-SIGN: ab\nContent-Type: application/json\n\n${JSON.stringify({ ...BET, txID: tx })}\n`;
  const reply = (second: string, id: string, balance: string, way = 'Outgoing'): string =>
    `${head(second, `${way} Response: ${id}`)}\nDuration: 42 ms\nHTTP/1.1 200 OK\nContent-Type: application/json\n\n${JSON.stringify({ balance })}\n`;

  it('is joined by its id, also if two requests were answered in another order', async () => {
    const text = [
      request('07.100', 'a-1-aaaa', 't-1'),
      request('07.101', 'b-1-bbbb', 't-2'),
      reply('07.150', 'b-1-bbbb', '90.00'),
      reply('07.160', 'a-1-aaaa', '95.00'),
    ].join('');
    const found = await read(text);
    expect(found.toSorted((a, b) => a.line - b.line)).toMatchObject([
      {
        line: 1,
        at: '2026-11-23T13:03:07.100Z',
        tookMs: 42,
        sent: { txID: 't-1' },
        status: 200,
        reply: { balance: '95.00' },
      },
      { line: 8, at: '2026-11-23T13:03:07.101Z', sent: { txID: 't-2' }, status: 200, reply: { balance: '90.00' } },
    ]);
  });

  it.each([
    ['operator', 'Incoming', 'Outgoing'],
    ['service', 'Outgoing', 'Incoming'],
  ])('is of the %s if the request is %s', async (side, asked, answered) => {
    const text = `${request('07.100', 'a-1-aaaa', 't-1', asked)}${reply('07.150', 'a-1-aaaa', '95.00', answered)}`;
    expect(await exchangesIn(text)).toMatchObject([{ side, logged: { signature: 'ab' }, answer: { status: 200 } }]);
  });

  it('ends where the next entry begins', async () => {
    const text = `${request('07.100', 'a-1-aaaa', 't-1')}${head('07.120', 'committing')}\n${reply('07.150', 'a-1-aaaa', '95.00')}`;
    expect(await read(text)).toMatchObject([{ status: 200, sent: { txID: 't-1' } }]);
  });
});
