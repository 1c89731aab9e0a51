import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { header } from '../../src/journal/exchange.ts';
import { buildRequest, type CallSpec, requestOf } from '../../src/wire/request.ts';

const hmac = (text: string, key = 'secret'): string => createHmac('sha256', key).update(text).digest('hex');
const target = { baseUrl: 'https://wallet.test/eu/' };
const bet: CallSpec = { call: 'bet', target, key: 'secret', fields: { txID: 'é/1', amount: '1.00' } };
const balance: CallSpec = { call: 'balance', target, key: 'secret', fields: { sessionID: 'a b:@=?+%é', b: 'x' } };
const text = (bytes: Uint8Array | null): string => (bytes === null ? '' : Buffer.from(bytes).toString());
const names = (spec: CallSpec): string[] => buildRequest(spec).headers.map(([name]) => name);

test('a POST has a canonical body, which is signed, and its path is appended to that of the base URL', () => {
  const body = '{"amount":"1.00","txID":"é/1"}';
  const built = buildRequest(bet);
  expect(requestOf(built)).toEqual({
    method: 'POST',
    url: 'https://wallet.test/eu/bet',
    headers: [
      ['Host', 'wallet.test'],
      ['Content-Type', 'application/json'],
      ['Content-Length', '31'],
      ['X-REQUEST-SIGN', hmac(body)],
      ['Accept', 'application/json'],
    ],
    body: { encoding: 'utf8', data: body, length: 31, truncated: false },
  });
  expect(text(built.payload)).toBe(body);
});

test('a GET has a signature over the canonical object of its query', () => {
  const built = buildRequest(balance);
  const payload = '{"b":"x","sessionID":"a b:@=?+%é"}';
  expect(built.url).toBe('https://wallet.test/eu/balance?sessionID=a%20b%3A%40%3D%3F%2B%25%C3%A9&b=x');
  expect(built.body).toBeNull();
  expect(text(built.payload)).toBe(payload);
  expect(header(built.headers, 'x-request-sign')).toBe(hmac(payload));
  expect(header(built.headers, 'content-type')).toBeUndefined();
});

describe('the target', () => {
  test.each([
    ['https://h', undefined, 'https://h/bet'],
    ['https://h:444/a/b', undefined, 'https://h:444/a/b/bet'],
    ['https://h/a//', '/v2/place-bet', 'https://h/a/v2/place-bet'],
  ])('%s with the path %s gives the URL %s', (baseUrl, path, url) => {
    const paths = path === undefined ? {} : { paths: { bet: path } };
    expect(buildRequest({ ...bet, target: { baseUrl, ...paths } }).url).toBe(url);
  });

  test.each([
    ['nonsense', /not a URL/],
    ['ftp://h', /http/],
    ['https://h/?a=1', /query/],
    ['https://me:hush@h/', /password/],
  ])('is refused if it is %s', (baseUrl, message) => {
    expect(() => buildRequest({ ...bet, target: { baseUrl } })).toThrow(message);
  });

  test("can have headers, which replace croupier's own in their place", () => {
    const headers = { accept: '*/*', 'X-Env': 'qa' };
    expect(buildRequest({ ...bet, target: { ...target, headers } }).headers.slice(-2)).toEqual([
      ['accept', '*/*'],
      ['X-Env', 'qa'],
    ]);
  });

  test.each(['x-request-sign', 'Content-Length'])('cannot have the header %s', (name) => {
    expect(() => buildRequest({ ...bet, target: { ...target, headers: { [name]: '1' } } })).toThrow(name);
  });
});

describe('a deviating request', () => {
  test('with tampering has changed content with the signature of the original', () => {
    const built = buildRequest({ ...bet, tamper: { fields: { amount: '9.00' } } });
    expect(text(built.body)).toBe('{"amount":"9.00","txID":"é/1"}');
    expect(text(built.payload)).toBe('{"amount":"1.00","txID":"é/1"}');
    const query = buildRequest({ ...balance, tamper: { fields: { b: 'y' } } });
    expect(query.url).toMatch(/&b=y$/);
    expect(text(query.payload)).toContain('"b":"x"');
  });

  test('with an edit has changed content with a right signature', () => {
    const built = buildRequest({ ...bet, edit: { set: { extra: [1] }, drop: ['txID'] } });
    expect(text(built.body)).toBe('{"amount":"1.00","extra":[1]}');
    expect(text(built.payload)).toBe(text(built.body));
  });

  test('with a raw body has a signature over the raw body', () => {
    const built = buildRequest({ ...bet, rawBody: '{"a":' });
    expect(text(built.body)).toBe('{"a":');
    expect(header(built.headers, 'X-REQUEST-SIGN')).toBe(hmac('{"a":'));
    expect(() => buildRequest({ ...bet, rawBody: 'x', tamper: { fields: {} } })).toThrow(TypeError);
  });

  test('can have the signature header in another letter case, or no signature header', () => {
    expect(names({ ...bet, headerName: 'x-Request-sign' })).toContain('x-Request-sign');
    expect(names({ ...bet, sign: 'missing' })).not.toContain('X-REQUEST-SIGN');
  });

  test('has a signature that covers added query parameters', () => {
    const built = buildRequest({ ...balance, query: { add: { a: '1' }, order: 'reversed' } });
    expect(built.url).toMatch(/\?sessionID=[^&]*&b=x&a=1$/);
    expect(text(built.payload)).toMatch(/^\{"a":"1",/);
  });
});
