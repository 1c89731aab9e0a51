import { describe, expect, it } from 'vitest';
import { bodyText } from '../../../../src/journal/exchange.ts';
import {
  fieldOf,
  layersOf,
  readJsonLine,
  readPlainText,
  readPrinted,
} from '../../../../src/traffic/read/logs/json-line.ts';
import { logForm } from '../../../../src/traffic/read/logs/log-form.ts';
import { exchangesIn } from '../entries-in.ts';

const BET = '{"amount":"0.29","roundID":"r-1","sessionID":"s-1","txID":"b-1","type":"regular"}';
const REPLY = '{"balance":"1000.21","txID":"w-1"}';

const logged = async (line: string) => {
  const [exchange] = await exchangesIn(`${line}\n`);
  if (!exchange) return null;
  const { request, answer, logged: fields, time } = exchange;
  return {
    at: time === null ? null : new Date(time.ms).toISOString(),
    call: fields.call,
    session: fields.session,
    sent: request.body === null || request.body === 'unknown' ? null : bodyText(request.body),
    status: answer.kind === 'reply' ? answer.status : null,
    balance: fields.balance,
    reply: answer.kind === 'reply' && answer.body ? bodyText(answer.body) : null,
  };
};

describe('a JSON line of a file', () => {
  it('reads bodies named request and response, and the session and player from a context object', async () => {
    const line = JSON.stringify({
      '@timestamp': '2026-11-21T20:29:59Z',
      message: 'BET processed',
      mdc: { sessionId: 's-1', playerId: 'p-4711' },
      operation: 'bet',
      request: BET,
      status: 200,
      response: REPLY,
    });
    expect(await logged(line)).toMatchObject({ call: 'bet', session: 's-1', sent: BET, reply: REPLY });
    expect((await exchangesIn(line))[0]?.logged.player).toBe('p-4711');
  });

  it('does not read an object with the status of a reply as its body', async () => {
    const http = { request: { method: 'POST', url: '/bet' }, response: { status: 200, content_length: 52 } };
    expect(await logged(JSON.stringify({ http }))).toMatchObject({ status: 200, reply: null });
  });

  it('reads a path without its first slash, but only the path of a call', async () => {
    const urlOf = async (path: string): Promise<string | null | undefined> =>
      (await exchangesIn(`${JSON.stringify({ method: 'POST', path, status: 200, requestBody: BET })}\n`))[0]?.request
        .url;
    expect(await urlOf('api/wallet/bet')).toBe('/api/wallet/bet');
    expect((await urlOf('images/bet.png')) ?? null).toBeNull();
  });

  it('reads names with capital letters, and prefers the address with the query to the path in the message', async () => {
    const line = JSON.stringify({
      time: '2026-11-21 20:29:59.1230',
      message: 'GET /wallet/balance -> 200',
      properties: { Method: 'GET', Url: '/wallet/balance?sessionID=s-1', StatusCode: 200, PlayerId: 'p-4711' },
    });
    const [exchange] = await exchangesIn(line);
    expect(exchange?.request.url).toBe('/wallet/balance?sessionID=s-1');
    expect(exchange?.logged.player).toBe('p-4711');
  });

  it('skips a field "action" that names no call, and reads the call from another field', async () => {
    const line = JSON.stringify({ action: 'http.request', op: 'bet', sessionID: 's-1', txID: 'b-1', amount: '5' });
    expect(await logged(line)).toMatchObject({ call: 'bet', session: 's-1' });
  });

  it('reads "request" as the body if it is one, and as the whole request if it has a method and a URL', async () => {
    const body: unknown = JSON.parse(BET);
    const [plain, whole] = await exchangesIn(
      [
        { path: '/bet', method: 'POST', request: body, status: 200 },
        { request: { method: 'POST', url: '/bet' }, status: 200 },
      ]
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(''),
    );
    expect(plain?.request.body).toMatchObject({ data: BET });
    expect(whole?.request).toMatchObject({ url: '/bet', body: 'unknown' });
  });
});

const FORM = logForm();
const PLACE = { file: 'f', line: 1 };

describe('layersOf', () => {
  it.each<[string, Readonly<Record<string, unknown>>, readonly object[]]>([
    ['no nested object', { a: 1 }, [{ a: 1 }]],
    [
      'an object in a carrier',
      { a: 1, log: { b: 2 } },
      [
        { a: 1, log: { b: 2 } },
        { a: 1, b: 2 },
      ],
    ],
    ['JSON as text after other text', { message: 'INFO {"b":2}' }, [{ message: 'INFO {"b":2}' }, { b: 2 }]],
    ['an inner field of the same name', { time: 1, log: { time: 2 } }, [{ time: 1, log: { time: 2 } }, { time: 2 }]],
    ['text that is no JSON', { message: 'a {"b":' }, [{ message: 'a {"b":' }]],
    ['a list in a carrier', { data: [1] }, [{ data: [1] }]],
  ])('gives the layers of an object with %s', (_, object, layers) => {
    expect([...layersOf(object)]).toEqual(layers);
  });

  it('stops after four nested objects', () => {
    const object = { log: { log: { log: { log: { log: { deep: true } } } } } };
    expect([...layersOf(object)]).toHaveLength(5);
  });
});

describe('fieldOf', () => {
  it.each<[string, Parameters<typeof fieldOf>[1], Readonly<Record<string, unknown>>, string | undefined]>([
    ['a plain name', 'status', { status: 200 }, '200'],
    ['a path', 'status', { res: { statusCode: 500 } }, '500'],
    ['a name with dots before a path', 'url', { 'req.url': '/a', req: { url: '/b' } }, '/a'],
    ['a list of one value', 'signature', { 'x-request-sign': ['ab'] }, 'ab'],
    ['not a list of two values', 'signature', { 'x-request-sign': ['a', 'b'] }, undefined],
    ['not an object as text', 'session', { session: { id: 's' } }, undefined],
    ['a body as JSON', 'requestBody', { body: { a: 1 } }, '{"a":1}'],
    ['a body as text', 'responseBody', { response: '{"a":1}' }, '{"a":1}'],
    ['"request" as the body if it has a session', 'requestBody', { request: { sessionID: 's' } }, '{"sessionID":"s"}'],
    ['"request" not as the body otherwise', 'requestBody', { request: { url: '/bet' } }, undefined],
    ['an ambiguous name with a session', 'requestBody', { params: { sessionID: 's' } }, '{"sessionID":"s"}'],
    ['an ambiguous name with JSON text', 'requestBody', { input: '{"sessionID":"s"}' }, '{"sessionID":"s"}'],
    ['an ambiguous name without a session', 'requestBody', { params: { id: 1 } }, undefined],
    ['a call', 'call', { action: 'bet' }, 'bet'],
    ['a call at the end of a path', 'call', { operation: '/eu/refund' }, '/eu/refund'],
    ['no call from another action', 'call', { action: 'login' }, undefined],
    ['a session from a context object', 'session', { mdc: { sessionId: 's-1' } }, 's-1'],
    ['no transaction from a context object', 'tx', { mdc: { txID: 't-1' } }, undefined],
    ['the duration of Envoy in ms', 'tookMs', { response_code: 200, duration: 12 }, '12'],
    ['the duration of Caddy in s', 'tookMs', { resp_headers: {}, duration: 0.5 }, '500'],
    ['the duration of Traefik in ns', 'tookMs', { DownstreamStatus: 200, Duration: 1_500_000 }, '1.5'],
    ['no duration without a known unit', 'tookMs', { duration: 12 }, undefined],
  ])('reads %s', (_, field, object, text) => {
    expect(fieldOf(object, field, FORM)).toBe(text);
  });

  it('reads only the configured name of a field, not its usual names', () => {
    const form = logForm({ fields: { session: 'user.sid' } });
    expect(fieldOf({ session: 'a', user: { sid: 'b' } }, 'session', form)).toBe('b');
    expect(fieldOf({ session: 'a' }, 'session', form)).toBeUndefined();
  });
});

describe('readJsonLine', () => {
  it.each<[string, Readonly<Record<string, unknown>>, object]>([
    [
      'a request with its reply',
      { url: '/bet', method: 'POST', body: BET, status: 200, response: REPLY },
      { side: 'operator', request: { method: 'POST', url: '/bet' }, answer: { kind: 'reply', status: 200 } },
    ],
    ['a request line as one text', { request: 'POST /bet HTTP/1.1' }, { request: { method: 'POST', url: '/bet' } }],
    [
      'an error instead of a reply',
      { url: '/bet', error: 'ECONNREFUSED' },
      { answer: { kind: 'none', reason: 'refused', detail: 'ECONNREFUSED' } },
    ],
    ['no reply', { url: '/bet', method: 'POST' }, { request: { body: 'unknown' }, answer: { kind: 'unknown' } }],
    [
      'a nested line with the time of the collector',
      { timestamp: '2026-11-21T20:00:00Z', message: '10.0.0.1 - - [-] "x"', log: '{"call":"bet","session":"s-1"}' },
      { time: { ms: Date.parse('2026-11-21T20:00:00Z') }, logged: { call: 'bet', session: 's-1' } },
    ],
    [
      'a line of text in a carrier',
      { timestamp: '2026-11-21T20:00:00Z', message: 'bet session=s-1 op=bet status=200' },
      { time: { ms: Date.parse('2026-11-21T20:00:00Z') }, logged: { call: 'bet', session: 's-1' } },
    ],
  ])('reads an object with %s', (_, object, exchange) => {
    expect(readJsonLine(object, FORM, PLACE)).toMatchObject(exchange);
  });

  it.each([{}, { message: 'started' }, { status: 200 }, { url: 'not a path' }, { action: 'login', session: 's-1' }])(
    'finds no request in %j',
    (object) => {
      expect(readJsonLine(object, FORM, PLACE)).toBeUndefined();
    },
  );
});

describe('readPlainText', () => {
  it.each<[string, string, object]>([
    [
      'an access log',
      '1.2.3.4 - - [21/Nov/2026:13:03:07 +0000] "POST /bet HTTP/1.1" 200 35',
      { request: { url: '/bet' }, answer: { status: 200 } },
    ],
    [
      'logfmt after a time, which may be the end of the call',
      '2026-11-21T13:03:07Z INFO op=bet session=s-1 status=200',
      { logged: { call: 'bet' }, time: { ms: Date.parse('2026-11-21T13:03:07Z'), mayBeEnd: true } },
    ],
    ['text with JSON', `INFO bet ${BET} -> 200 ${REPLY}`, { logged: { call: 'bet' }, answer: { status: 200 } }],
    [
      'an access log after the prefix of a collector',
      'wallet-1  | 1.2.3.4 - - [21/Nov/2026:13:03:07 +0000] "POST /bet HTTP/1.1" 503 35',
      { answer: { status: 503 } },
    ],
  ])('reads %s', (_, text, exchange) => {
    expect(readPlainText(text, FORM, PLACE)).toMatchObject(exchange);
  });

  it.each(['', 'listening on :8080', 'a=1 b=2 c=3', 'wallet-1  | started'])('finds no request in %j', (text) => {
    expect(readPlainText(text, FORM, PLACE)).toBeUndefined();
  });
});

it('readPrinted ignores configured names, because it makes the fields itself', () => {
  const form = logForm({ fields: { requestBody: 'other' } });
  expect(readPrinted(`INFO bet ${BET}`, form, PLACE)?.request.body).toMatchObject({ data: BET });
});
