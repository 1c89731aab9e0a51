import { createHash, createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ALGORITHMS } from '../../src/signing/algorithms.ts';
import { type Explanation, explainSignature } from '../../src/signing/explain.ts';
import { KEY_CHANGES, type OfferedKey } from '../../src/signing/keys.ts';
import { payloadsOf } from '../../src/signing/payloads.ts';
import type { SignedRequest } from '../../src/signing/request.ts';
import { REWRITINGS } from '../../src/signing/rewritings.ts';
import { TEXT_CHANGES } from '../../src/signing/texts.ts';
import { VALUE_CHANGES } from '../../src/signing/values.ts';
import * as fc from '../properties.ts';

// The output of each library is written here as text, without the code under test.
const KEY = 'c0ffee00c0ffee00-Key+%2B';
const right: OfferedKey = { text: KEY, name: 'the right key', role: 'integration' };
const old: OfferedKey = { text: 'an older key', name: 'the older key', role: 'unknown' };
const api: OfferedKey = { text: 'the api key', name: 'the API key of acme', role: 'api' };
const KEYS = [right, old, api];

const hmac = (payload: string | Uint8Array, key: string | Uint8Array = KEY): string =>
  createHmac('sha256', key).update(payload).digest('hex');

const URL_BET = 'https://wallet.example/eu/bet';
const post = (body: string | Uint8Array, signature: string, url = URL_BET): SignedRequest => ({
  method: 'POST',
  url,
  body: typeof body === 'string' ? Buffer.from(body) : body,
  signature,
});
const get = (query: string, signature: string): SignedRequest => ({
  method: 'GET',
  url: `https://wallet.example/eu/balance?${query}`,
  body: null,
  signature,
});

const tested = new Set<string>();
/** Rare constructions have their own test: rare-constructions.slow.test.ts. */
const isUsual = (each: object): boolean => !('isRare' in each && each.isRare === true);

function idsOf(explanation: Explanation): readonly string[] {
  if (explanation.kind === 'unexplained') return [];
  const { payload, key, algorithm, writing, same } = explanation.found;
  return [payload.id, key.id, algorithm.id, writing.id, ...same];
}

function expectExplained(request: SignedRequest, id: string): void {
  tested.add(id);
  const explanation = explainSignature(request, KEYS);
  expect(explanation.kind).toBe('explained');
  expect(idsOf(explanation)).toContain(id);
}

/** A body that every library writes differently. */
const compact = (note: string): string => `{"amount":"1.00","note":"${note}","sessionID":"s-1","type":"regular"}`;
const NOTE = 'é/</b>&\'+=\\"`\u2028😀';
const BODY = compact(NOTE);
const PYTHON = String.raw`\u00e9/</b>&'+=\"` + String.raw`${'`'}\u2028\ud83d\ude00`;
const PHP = String.raw`\u00e9\/<\/b>&'+=\"` + String.raw`${'`'}\u2028\ud83d\ude00`;
const GO = String.raw`é/\u003c/b\u003e\u0026'+=\"` + String.raw`${'`'}\u2028😀`;
const GSON = String.raw`é/\u003c/b\u003e\u0026\u0027+\u003d\"` + String.raw`${'`'}\u2028😀`;
const DOTNET = String.raw`\u00E9/\u003C/b\u003E\u0026\u0027\u002B=\u0022\u0060\u2028\uD83D\uDE00`;
const SOFT = `é/</b>&'+=\\"\`\\u2028😀`;

const lines = (note: string, indent: string, colon = ': ', end = '\n'): string =>
  [
    '{',
    `${indent}"amount"${colon}"1.00",`,
    `${indent}"note"${colon}"${note}",`,
    `${indent}"sessionID"${colon}"s-1",`,
    `${indent}"type"${colon}"regular"`,
    '}',
  ].join(end);

const spaced = (note: string): string => `{"amount": "1.00", "note": "${note}", "sessionID": "s-1", "type": "regular"}`;

describe('a signature over a body that was parsed and written again', () => {
  it.each([
    ['python-dumps', spaced(PYTHON)],
    ['python-dumps-unicode', spaced(NOTE)],
    ['python-dumps-compact', compact(PYTHON)],
    ['python-dumps-indent', lines(PYTHON, '    ')],
    ['php-json-encode', compact(PHP)],
    ['php-unescaped-slashes', compact(PYTHON)],
    ['php-unescaped-unicode', compact(`é\\/<\\/b>&'+=\\"\`\\u2028😀`)],
    ['php-unescaped-both', compact(SOFT)],
    ['php-pretty', lines(PHP, '    ')],
    ['php-hex', compact(String.raw`\u00e9\/\u003C\/b\u003E\u0026\u0027+=\u0022${'`'}\u2028\ud83d\ude00`)],
    ['php-hex-tag', compact(String.raw`\u00e9\/\u003C\/b\u003E\u0026'+=\"${'`'}\u2028\ud83d\ude00`)],
    ['perl-pretty', `${lines(NOTE, '   ', ' : ')}\n`],
    ['go-marshal', compact(GO)],
    ['go-marshal-fields', compact(GO)],
    ['go-encoder', `${compact(GO)}\n`],
    ['go-encoder-plain', `${BODY}\n`],
    ['go-marshal-struct', `{"sessionID":"s-1","amount":"1.00","type":"regular","note":"${GO}"}`],
    ['go-marshal-indent', lines(GO, '\t')],
    ['rails-to-json', compact(GO)],
    ['gson', compact(GSON)],
    ['gson-plain', compact(SOFT)],
    ['dotnet-text-json-relaxed', compact(`é/</b>&'+=\\"\`\\u2028\\uD83D\\uDE00`)],
    ['gson-pretty', lines(GSON, '  ')],
    ['jackson-pretty', lines(NOTE, '  ', ' : ')],
    ['jackson-ascii', compact(String.raw`\u00E9/</b>&'+=\"${'`'}\u2028\uD83D\uDE00`)],
    ['org-json', compact(`é/<\\/b>&'+=\\"\`\\u2028😀`)],
    ['dotnet-text-json', compact(DOTNET)],
    ['dotnet-text-json-indented', lines(DOTNET, '  ')],
    ['dotnet-text-json-windows', lines(DOTNET, '  ', ': ', '\r\n')],
    ['dotnet-newtonsoft', compact(SOFT)],
    ['dotnet-newtonsoft-ascii', compact(PYTHON)],
    ['dotnet-newtonsoft-html', compact(String.raw`é/\u003c/b\u003e\u0026\u0027+=\u0022${'`'}\u2028😀`)],
    ['dotnet-newtonsoft-indented', lines(SOFT, '  ', ': ', '\r\n')],
    ['pretty-2', lines(NOTE, '  ')],
    ['pretty-4', lines(NOTE, '    ')],
    ['pretty-tab', lines(NOTE, '\t')],
    ['contract-order', `{"sessionID":"s-1","amount":"1.00","type":"regular","note":"${NOTE}"}`],
    ['reversed', `{"type":"regular","sessionID":"s-1","note":"${NOTE}","amount":"1.00"}`],
    ['order-of-fields', `{"note":"${NOTE}","type":"regular","amount":"1.00","sessionID":"s-1"}`],
    ['java-to-string', `{amount=1.00, note=é/</b>&'+="\`\u2028😀, sessionID=s-1, type=regular}`],
    ['object-object', '[object Object]'],
    ['string-within-json', `"${BODY.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`],
  ])('is explained as %s', (id, payload) => {
    expectExplained(post(BODY, hmac(payload)), id);
  });

  it('is explained as python-str', () => {
    expectExplained(post('{"amount":"1.00","name":"O\'é"}', hmac("{'amount': '1.00', 'name': \"O'é\"}")), 'python-str');
  });

  const UNSORTED = '{"b":"é/","a":"1.50","C":"x"}';
  it.each([
    ['sorted', '{"C":"x","a":"1.50","b":"é/"}'],
    ['sorted-ignoring-case', '{"a":"1.50","b":"é/","C":"x"}'],
    ['python-dumps-sorted', String.raw`{"C": "x", "a": "1.50", "b": "\u00e9/"}`],
    ['python-dumps-compact-sorted', String.raw`{"C":"x","a":"1.50","b":"\u00e9/"}`],
    ['python-dumps-unicode-sorted', '{"C": "x", "a": "1.50", "b": "é/"}'],
    ['php-sorted', String.raw`{"C":"x","a":"1.50","b":"\u00e9\/"}`],
  ])('is explained as %s', (id, payload) => {
    expectExplained(post(UNSORTED, hmac(payload)), id);
  });

  it('is explained as jackson', () => {
    expectExplained(post(String.raw`{ "a": "b\u001f" }`, hmac(String.raw`{"a":"b\u001F"}`)), 'jackson');
  });

  it('is explained as node-stringify', () => {
    expectExplained(post('{ "a" : "1" }', hmac('{"a":"1"}')), 'node-stringify');
  });
});

describe('a signature over changed values', () => {
  const bet = (amount: string): string => `{"amount":${amount},"note":"7.50","sessionID":"42","type":"regular"}`;
  it.each([
    ['amount-number', bet('1.00')],
    ['amount-number-short', bet('1')],
    ['amount-number-float', bet('1.0')],
    ['amount-text-short', bet('"1"')],
    ['amount-text-float', bet('"1.0"')],
    ['amount-cents', bet('100')],
    ['amount-text-cents', bet('"100"')],
    ['numbers', '{"amount":1.00,"note":7.50,"sessionID":42,"type":"regular"}'],
    ['numbers-short', '{"amount":1,"note":7.5,"sessionID":42,"type":"regular"}'],
    ['numbers-float', '{"amount":1.0,"note":7.5,"sessionID":42,"type":"regular"}'],
    ['amount-number+python-dumps', '{"amount": 1.00, "note": "7.50", "sessionID": "42", "type": "regular"}'],
  ])('is explained as %s', (id, payload) => {
    expectExplained(post(bet('"1.00"'), hmac(payload)), id);
  });

  it.each([
    ['amount-text-two-decimals', '{"amount":"1.5"}', '{"amount":"1.50"}'],
    ['numbers-rewritten', '{"a":1.0,"b":1e2,"c":"x"}', '{"a":1,"b":100,"c":"x"}'],
    ['numbers-as-text', '{"a":1.0,"c":"x"}', '{"a":"1.0","c":"x"}'],
  ])('is explained as %s', (id, body, payload) => {
    expectExplained(post(body, hmac(payload)), id);
  });
});

describe('a signature over changed bytes', () => {
  it.each<[string, string | Uint8Array, string | Uint8Array]>([
    ['trailing-lf', '{"a":"é"}', '{"a":"é"}\n'],
    ['trailing-crlf', '{"a":"é"}', '{"a":"é"}\r\n'],
    ['trailing-blank', '{"a":"é"}', '{"a":"é"} '],
    ['trimmed', '{"a":"é" }\n', '{"a":"é" }'],
    ['crlf', '{\n"a":"é"\n}', '{\r\n"a":"é"\r\n}'],
    ['lf', '{\r\n"a":"é"\r\n}', '{\n"a":"é"\n}'],
    ['bom', '{"a":"é"}', Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from('{"a":"é"}')])],
    ['bom-removed', Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from('{ "a":"é"}')]), '{ "a":"é"}'],
    // Java writes one question mark for an emoji.
    ['latin1', '{"a":"é😀"}', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xe9, 0x3f, 0x22, 0x7d])],
    ['latin1', '{"a":"é"}', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xe9, 0x22, 0x7d])],
    ['latin1-decoded', '{"a":"é"}', '{"a":"Ã©"}'],
    ['ascii', '{"a":"é😀"}', '{"a":"??"}'],
    ['utf16le', '{"a"}', Buffer.from('{\0"\0a\0"\0}\0')],
    ['nfc', '{"a":"e\u0301"}', '{"a":"é"}'],
    ['nfd', '{"a":"é"}', '{"a":"e\u0301"}'],
    ['no-white-space', '{"a": "b c"}', '{"a":"bc"}'],
    ['lower-case', '{"A":"B"}', '{"a":"b"}'],
    ['upper-case', '{"a":"b"}', '{"A":"B"}'],
    ['url-decoded', '{"a":"b%20c+d"}', '{"a":"b c d"}'],
    ['url-encoded', '{"a":"b"}', '%7B%22a%22%3A%22b%22%7D'],
    ['html-escaped', '{"a":"<&"}', '{&quot;a&quot;:&quot;&lt;&amp;&quot;}'],
    ['backslashes-removed', '{"a":"b\\"c"}', '{"a":"b"c"}'],
    ['base64-of-payload', '{"a":"b"}', 'eyJhIjoiYiJ9'],
    ['hex-of-payload', '{"a":"b"}', '7b2261223a2262227d'],
  ])('is explained as %s', (id, body, payload) => {
    expectExplained(post(body, hmac(payload)), id);
  });

  it('is explained together with the library that wrote the body', () => {
    expectExplained(post('{"a":"1","b":"2"}', hmac('{"a": "1", "b": "2"}\n')), 'python-dumps-trailing-lf');
  });
});

describe('a signature over something else than the body', () => {
  const SENT = '{"amount":"1.00","empty":"","sessionID":"s 1"}';
  const URL_WITH_QUERY = `${URL_BET}?b=2&a=1`;
  it.each([
    ['body-as-form', '{"b":"2 3","a":"é"}', 'b=2+3&a=%C3%A9'],
    ['body-as-sorted-form', '{"b":"2 3","a":"é"}', 'a=%C3%A9&b=2+3'],
    ['body-as-plain-form', '{"b":"2 3","a":"é"}', 'a=é&b=2 3'],
    ['body-values', SENT, '1.00s 1'],
    ['body-names-and-values', SENT, 'amount1.00emptysessionIDs 1'],
    ['body-without-empty', SENT, '{"amount":"1.00","sessionID":"s 1"}'],
    ['without-amount', SENT, '{"empty":"","sessionID":"s 1"}'],
    ['empty', SENT, ''],
    ['empty-object', SENT, '{}'],
    ['empty-list', SENT, '[]'],
    ['null', SENT, 'null'],
    ['empty-text', SENT, '""'],
    ['other-form', SENT, '{"a":"1","b":"2"}'],
    ['url', SENT, URL_WITH_QUERY],
    ['url-without-query', SENT, URL_BET],
    ['path', SENT, '/eu/bet'],
    ['path-and-query', SENT, '/eu/bet?b=2&a=1'],
    ['method-and-path', SENT, 'POST /eu/bet?b=2&a=1'],
    ['method-path-body', SENT, `POST/eu/bet${SENT}`],
    ['method-path-body-lines', SENT, `POST\n/eu/bet\n${SENT}`],
    ['method-path-body-line', SENT, `POST/eu/bet\n${SENT}`],
    ['method-path-query-body-lines', SENT, `POST\n/eu/bet\nb=2&a=1\n${SENT}`],
    ['method-path-query-lines', SENT, 'POST\n/eu/bet\nb=2&a=1'],
    ['method-body', SENT, `POST${SENT}`],
    ['path-body', SENT, `/eu/bet${SENT}`],
    ['path-body-line', SENT, `/eu/bet\n${SENT}`],
    ['url-body', SENT, `${URL_WITH_QUERY}${SENT}`],
    ['body-path', SENT, `${SENT}/eu/bet`],
  ])('is explained as %s', (id, body, payload) => {
    expectExplained(post(body, hmac(payload), URL_WITH_QUERY), id);
  });
});

describe('a signature over the query of a GET', () => {
  const QUERY = 'sessionID=s%201%2B%C3%A9&lang=en';
  it('is right if canonical JSON of the decoded parameters was signed', () => {
    expect(explainSignature(get(QUERY, hmac('{"lang":"en","sessionID":"s 1+é"}')), KEYS).kind).toBe('right');
  });

  it.each([
    ['query-undecoded', QUERY, '{"lang":"en","sessionID":"s%201%2B%C3%A9"}'],
    ['query-plus-kept', 'sessionID=a+b', '{"sessionID":"a+b"}'],
    ['query-plus-only', 'sessionID=a+b%20c', '{"sessionID":"a b%20c"}'],
    ['query-decoded-twice', 'sessionID=a%252Fb%252Bc', '{"sessionID":"a/b+c"}'],
    ['query-decoded-twice-plus', 'sessionID=a%2Bb%252F', '{"sessionID":"a+b/"}'],
    ['query-latin1', 'sessionID=%C3%A9', '{"sessionID":"Ã©"}'],
    ['query-string', QUERY, QUERY],
    ['query-string-mark', QUERY, `?${QUERY}`],
    ['query-string-sorted', QUERY, 'lang=en&sessionID=s%201%2B%C3%A9'],
    ['query-string-decoded', QUERY, 'sessionID=s 1+é&lang=en'],
    ['query-string-encoded-anew', QUERY, 'sessionID=s+1%2B%C3%A9&lang=en'],
    ['query-string-encoded-anew-sorted', QUERY, 'lang=en&sessionID=s+1%2B%C3%A9'],
    ['query-lists', QUERY, '{"sessionID": ["s 1+é"], "lang": ["en"]}'],
    ['query-values', QUERY, 's 1+éen'],
    ['query-lists', QUERY, '{"lang":["en"],"sessionID":["s 1+é"]}'],
    ['query-pairs', QUERY, '[["lang","en"],["sessionID","s 1+é"]]'],
    ['query-wrapped', QUERY, '{"query":{"lang":"en","sessionID":"s 1+é"}}'],
    ['query-session-only', QUERY, '{"sessionID":"s 1+é"}'],
    ['node-stringify', QUERY, '{"sessionID":"s 1+é","lang":"en"}'],
    ['node-stringify', 'sessionID=s-1&currency=EUR', '{"sessionID":"s-1","currency":"EUR"}'],
    ['python-dumps-sorted', QUERY, String.raw`{"lang": "en", "sessionID": "s 1+\u00e9"}`],
    ['php-json-encode', 'a=%2F%C3%A9', String.raw`{"a":"\/\u00e9"}`],
    ['numbers', 'sessionID=42&x=a', '{"sessionID":42,"x":"a"}'],
    ['url', QUERY, `https://wallet.example/eu/balance?${QUERY}`],
    ['path', QUERY, '/eu/balance'],
    ['empty', QUERY, ''],
    ['empty-object', QUERY, '{}'],
    ['trailing-lf', QUERY, '{"lang":"en","sessionID":"s 1+é"}\n'],
  ])('is explained as %s', (id, query, payload) => {
    expectExplained(get(query, hmac(payload)), id);
  });
});

describe('a signature with a wrong key', () => {
  const sha = (name: string): Buffer => createHash(name).update(KEY).digest();
  const keyed = (key: string | Uint8Array): SignedRequest => post(BODY, hmac(BODY, key));
  it.each<[string, string | Uint8Array]>([
    ['other-key', 'an older key'],
    ['api-key', 'the api key'],
    ['key-lf', `${KEY}\n`],
    ['key-crlf', `${KEY}\r\n`],
    ['key-blank-after', `${KEY} `],
    ['key-blank-before', ` ${KEY}`],
    ['key-bom', Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from(KEY)])],
    ['key-hex-encoded', '63306666656530306330666665653030 2d4b65792b253242'.replace(' ', '')],
    ['key-base64-encoded', 'YzBmZmVlMDBjMGZmZWUwMC1LZXkrJTJC'],
    ['key-base64-encoded', 'YzBmZmVlMDBjMGZmZWUwMC1LZXkrJTJC\n'],
    ['key-without-hyphens', 'c0ffee00c0ffee00Key+%2B'],
    ['key-upper-case', 'C0FFEE00C0FFEE00-KEY+%2B'],
    ['key-lower-case', 'c0ffee00c0ffee00-key+%2b'],
    ['key-double-quoted', `"${KEY}"`],
    ['key-single-quoted', `'${KEY}'`],
    ['key-percent-encoded', 'c0ffee00c0ffee00-Key%2B%252B'],
    ['key-percent-decoded', 'c0ffee00c0ffee00-Key +'],
    ['key-utf16le', Buffer.from(Array.from(KEY).flatMap((character) => [character.charCodeAt(0), 0]))],
    ['key-sha256-hex', sha('sha256').toString('hex')],
    ['key-sha256-bytes', sha('sha256')],
    ['key-md5-hex', sha('md5').toString('hex')],
    ['key-cut-last', 'c0ffee00c0ffee00-Key+%2'],
    ['key-cut-first', '0ffee00c0ffee00-Key+%2B'],
    ['key-unset', ''],
    ['key-unset', 'undefined'],
    ['key-unset', '${CROUPIER_KEY}'],
  ])('is explained as %s', (id, key) => {
    expectExplained(keyed(key), id);
  });

  it.each<[string, string, string | Uint8Array]>([
    ['key-trimmed', ' padded ', 'padded'],
    ['key-hex-decoded', 'c0ffee', Buffer.from([0xc0, 0xff, 0xee])],
    ['key-base64-decoded', 'a2V5IQ==', 'key!'],
    [
      'key-uuid-bytes',
      '00112233-4455-6677-8899-aabbccddeeff',
      Buffer.from([0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255]),
    ],
    ['key-latin1', 'clé', Buffer.from([0x63, 0x6c, 0xe9])],
  ])('is explained as %s', (id, text, used) => {
    tested.add(id);
    const explanation = explainSignature(post(BODY, hmac(BODY, used)), [{ ...right, text }]);
    expect(explanation.kind).toBe('explained');
    expect(idsOf(explanation)).toContain(id);
  });

  it('is explained without the text of the key', () => {
    const explanation = explainSignature(keyed('an older key'), KEYS);
    expect(explanation).toMatchObject({
      found: { mistakes: ['Another key was used: the older key, not the right key.'], fixes: ['key'] },
    });
    expect(explainSignature(keyed('the api key'), KEYS)).toMatchObject({
      found: { mistakes: [expect.stringContaining('API key of the Core API')] },
    });
  });
});

describe('a signature with a wrong algorithm', () => {
  const hash = (name: string, ...parts: readonly string[]): string =>
    createHash(name).update(parts.join('')).digest('hex');
  const other = (name: string): string => createHmac(name, KEY).update(BODY).digest('hex');
  it.each([
    ...['sha1', 'sha512', 'sha384', 'sha224', 'sha3-256', 'md5'].map((name) => [`hmac-${name}`, other(name)]),
    ...['sha256', 'sha1', 'sha512', 'sha384', 'sha224', 'sha3-256', 'md5'].flatMap((name) => [
      [`${name}-key-before`, hash(name, KEY, BODY)],
      [`${name}-key-after`, hash(name, BODY, KEY)],
      [`${name}-without-key`, hash(name, BODY)],
    ]),
    ...Object.entries({
      colon: ':',
      point: '.',
      bar: '|',
      ampersand: '&',
      'line-break': '\n',
      blank: ' ',
      hyphen: '-',
    }).flatMap(([id, mark]) => [
      [`sha256-key-before-${id}`, hash('sha256', KEY, mark, BODY)],
      [`sha256-key-after-${id}`, hash('sha256', BODY, mark, KEY)],
    ]),
    ['sha256-key-around', hash('sha256', KEY, BODY, KEY)],
    ['hmac-swapped', hmac(KEY, BODY)],
    ['hmac-twice-hex', hmac(hmac(BODY))],
    ['hmac-twice-bytes', hmac(Buffer.from(hmac(BODY), 'hex'))],
    ['sha256-of-hmac', hash('sha256', hmac(BODY))],
    ['hmac-of-sha256-hex', hmac(hash('sha256', BODY))],
    ['hmac-of-sha256-bytes', hmac(Buffer.from(hash('sha256', BODY), 'hex'))],
    ['hmac-of-md5-hex', hmac(hash('md5', BODY))],
  ])('is explained as %s', (id = '', signature = '') => {
    expectExplained(post(BODY, signature), id);
  });
});

describe('a signature in a wrong form', () => {
  const digits = hmac(BODY);
  const bytes = Buffer.from(digits, 'hex');
  it.each([
    ['upper-case-hex', digits.toUpperCase()],
    ['base64', bytes.toString('base64')],
    ['base64url', bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_').replace('=', '')],
    ['base64-of-hex', Buffer.from(digits).toString('base64')],
    ['prefixed', `sha256=${digits}`],
    ['quoted', `"${digits}"`],
    ['quoted', ` ${digits} `],
    ['hyphenated', digits.toUpperCase().replace(/(..)(?=.)/g, '$1-')],
    ['part', digits.slice(0, 40)],
  ])('is explained as %s', (id, signature) => {
    expectExplained(post(BODY, signature), id);
  });
});

describe('the signature of a call to the Core API', () => {
  const keys = [api, right];
  const sent = '{"user":{"id":"p1","country":"mt"},"cID":"c-1"}';
  const canonical = '{"cID":"c-1","user":{"country":"mt","id":"p1"}}';
  const launch = (signature: string): SignedRequest =>
    post(sent, signature, 'https://core.example/api/v1/create-new-game');

  it('is right if its canonical JSON was signed with the API key', () => {
    expect(explainSignature(launch(hmac(canonical, api.text)), keys).kind).toBe('right');
  });

  it.each([
    ['the body as it was sent', hmac(sent, api.text), 'as it was sent', 'core-api'],
    ['the Integration API key', hmac(canonical), 'The Integration API key was used', 'key'],
    [
      'a library',
      hmac('{"cID": "c-1", "user": {"country": "mt", "id": "p1"}}', api.text),
      "Python's json.dumps",
      'core-api',
    ],
  ])('is explained if it was made with %s', (_what, signature, mistake, fix) => {
    expect(explainSignature(launch(signature), keys)).toMatchObject({
      kind: 'explained',
      found: { mistakes: [expect.stringContaining(mistake)], fixes: [fix] },
    });
  });
});

describe('a signature with several mistakes', () => {
  it.each([
    ['of body and key', hmac(spaced(PYTHON), `${KEY}\n`), ['python-dumps', 'key-lf', 'hmac-sha256', 'hex']],
    [
      'of body and algorithm',
      createHmac('sha512', KEY).update(compact(PHP)).digest('hex'),
      ['php-json-encode', 'right-key', 'hmac-sha512', 'hex'],
    ],
    [
      'of all',
      createHash('sha1')
        .update(`undefined${compact(DOTNET)}`)
        .digest('base64'),
      ['dotnet-text-json', 'key-unset', 'sha1-key-before', 'base64'],
    ],
  ])('is explained as %s', (_what, signature, ids) => {
    const explanation = explainSignature(post(BODY, signature), KEYS);
    expect(idsOf(explanation).slice(0, 4)).toEqual(ids);
  });
});

describe('explainSignature', () => {
  it('reports a correct signature as right', () => {
    expect(explainSignature(post(BODY, hmac(BODY)), KEYS)).toMatchObject({ kind: 'right', found: { mistakes: [] } });
    expect(explainSignature(post(Buffer.from([0xff, 0]), hmac(Buffer.from([0xff, 0]))), KEYS).kind).toBe('right');
  });

  it('reports an unknown signature as unexplained, with the number of tried constructions', () => {
    const explanation = explainSignature(post(BODY, hmac('something else')), KEYS);
    expect(explanation).toMatchObject({ kind: 'unexplained' });
    expect(explanation.kind === 'unexplained' && explanation.tried).toBeGreaterThan(10_000);
    for (const signature of ['', 'nonsense', '💣', 'abcd']) {
      expect(explainSignature(post(BODY, signature), KEYS).kind).toBe('unexplained');
    }
  });

  it('finds the signature of the other body', () => {
    const explanation = explainSignature(post('{"a":"1"}', hmac('{"a":"2"}')), KEYS, Buffer.from('{"a":"2"}'));
    expect(explanation).toMatchObject({ kind: 'explained', found: { ofOther: true } });
  });

  it('explains a signature of a query that is not UTF-8', () => {
    expect(explainSignature(get('a=%ff&a=1', hmac('a=%ff&a=1')), KEYS)).toMatchObject({ kind: 'explained' });
  });

  it('names each program that percent-encodes a payload to the same bytes', () => {
    const mistakesOf = (body: string, payload: string): string =>
      JSON.stringify(explainSignature(post(body, hmac(payload)), KEYS));
    // Without a space and without the characters * and ~, four programs write the same.
    const several = mistakesOf('(1)', '%281%29');
    for (const how of ['rawurlencode of PHP', 'quote_plus of Python', 'urlencode of PHP', 'URLEncoder of Java'])
      expect(several).toContain(how);
    expect(several).toContain('as one of these does');
    const java = mistakesOf('(1) *~', '%281%29+*%7E');
    expect(java).toContain('as URLEncoder of Java does.');
    expect(java).not.toContain('PHP');
  });

  it('names the languages that give the same bytes', () => {
    expect(explainSignature(post(BODY, hmac(compact(PYTHON))), KEYS)).toMatchObject({
      found: { languages: ['python', 'php', 'dotnet'] },
    });
  });
});

describe('the signature of any request', () => {
  const body = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  );
  const url = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ maxLength: 40 }).map((query) => `https://w.example/balance?${query}`),
    fc.constantFrom('https://core.example/games?a=1', '/api/v1/free-rounds'),
  );

  it('is examined without an exception', () => {
    fc.assert(
      fc.property(fc.option(body), url, (text, to) => {
        const request = {
          method: 'POST',
          url: to,
          body: text === null ? null : Buffer.from(text),
          signature: undefined,
        };
        for (const payload of payloadsOf(request)) expect(payload.bytes).toBeInstanceOf(Uint8Array);
      }),
      { numRuns: 60 },
    );
  });

  it('is reported as right if it is right, for any form of the body', () => {
    fc.assert(
      fc.property(body, (text) => explainSignature(post(text, hmac(text)), KEYS).kind === 'right'),
      { numRuns: 60 },
    );
  });

  it.each(['{"a":"\\ud800"}', '{"a":1e999}', '"\\udfff"'])(
    'is explained for a call to the Core API even if the body has no canonical form: %s',
    (text) => {
      const request = post(text, hmac(`${text}\n`), 'https://core.example/api/v1/games');
      expect(explainSignature(request, KEYS)).toMatchObject({ kind: 'explained' });
    },
  );
});

describe('a signature that a usual program has made wrongly', () => {
  const SENT = '{"amount":"1.00","roundID":"r-1","sessionID":"s-é","txID":"t-1"}';
  const gzip = (level: number, system: number): Buffer => {
    const bytes = gzipSync(SENT, { level });
    bytes[9] = system;
    return bytes;
  };

  it.each([
    ['undefined', 'undefined'],
    ['json-of-buffer', `{"type":"Buffer","data":[${[...Buffer.from(SENT)].join(',')}]}`],
    ['text-of-bytes', [...Buffer.from(SENT)].join(',')],
    ['names-pascal-case', '{"Amount":"1.00","RoundID":"r-1","SessionID":"s-é","TxID":"t-1"}'],
    ['names-camel-case', '{"amount":"1.00","roundId":"r-1","sessionId":"s-é","txId":"t-1"}'],
    ['names-snake-case', '{"amount":"1.00","round_id":"r-1","session_id":"s-é","tx_id":"t-1"}'],
    ['backslashes-added', SENT.replaceAll('"', '\\"')],
    [
      'php-serialize',
      'a:4:{s:6:"amount";s:4:"1.00";s:7:"roundID";s:3:"r-1";s:9:"sessionID";s:4:"s-é";s:4:"txID";s:3:"t-1";}',
    ],
    ['gzip-of-payload', gzip(6, 3)],
    ['gzip-of-payload', gzip(9, 255)],
    ['gzip-of-payload', gzip(1, 0)],
  ])('is explained: %s', (id, payload) => {
    expectExplained(post(SENT, hmac(payload)), id);
  });

  /** A body whose signature begins with these bytes. */
  const bodyWhere = (isIt: (digest: Buffer) => boolean): string => {
    for (let index = 0; ; index += 1) {
      const body = `{"txID":"t-${index}"}`;
      if (isIt(createHmac('sha256', KEY).update(body).digest())) return body;
    }
  };

  it.each([
    ['unpadded-hex', (digest: Buffer) => (digest[0] ?? 0) > 15 && digest.some((byte) => byte < 16)],
    ['big-integer', (digest: Buffer) => (digest[0] ?? 0) < 16],
    ['signed-big-integer', (digest: Buffer) => (digest[0] ?? 0) > 127],
  ])('is explained if its digits are lost: %s', (id, isIt) => {
    const body = bodyWhere(isIt);
    const digest = createHmac('sha256', KEY).update(body).digest();
    const number = BigInt(`0x${digest.toString('hex')}`);
    const written = {
      'unpadded-hex': [...digest].map((byte) => byte.toString(16)).join(''),
      'big-integer': number.toString(16),
      'signed-big-integer': (number - (1n << 256n)).toString(16),
    }[id];
    expectExplained(post(body, written ?? ''), id);
  });
});

describe('a body that was formatted after it was sent', () => {
  const formatted = JSON.stringify(JSON.parse('{"amount":"1.00","txID":"t-1"}'), null, 2);

  it('is signed rightly if the signature belongs to the body on one line', () => {
    const explanation = explainSignature(post(formatted, hmac('{"amount":"1.00","txID":"t-1"}')), KEYS);
    expect(explanation).toMatchObject({ kind: 'right', found: { payload: { id: 'compact-body' } } });
  });

  it('is still signed wrongly if the signature has another mistake', () => {
    const upper = hmac('{"amount":"1.00","txID":"t-1"}').toUpperCase();
    expect(explainSignature(post(formatted, upper), KEYS)).toMatchObject({ kind: 'explained' });
  });
});

describe('every known construction of a signature', () => {
  it('has a test in this file', () => {
    const known = [
      ...[...REWRITINGS, ...VALUE_CHANGES, ...TEXT_CHANGES, ...KEY_CHANGES].filter(isUsual).map(({ id }) => id),
      ...ALGORITHMS.filter((each) => each.mistake !== null && isUsual(each)).map(({ id }) => id),
      ...[post(BODY, ''), get('a=%252f+b&sessionID=1', '')]
        .flatMap((request) => payloadsOf(request))
        .filter(
          ({ id, mistake, isRare }) =>
            mistake !== null && isRare !== true && !/\+|^without-|-(?:trailing-lf|trailing-crlf|latin1|bom)$/.test(id),
        )
        .map(({ id }) => id),
    ];
    expect([...new Set(known)].filter((id) => !tested.has(id))).toEqual([]);
    expect(tested.size).toBeGreaterThanOrEqual(40);
  });
});
