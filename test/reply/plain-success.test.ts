import { describe, expect, it } from 'vitest';
import { CALL_NAMES } from '../../src/contract/call-name.ts';
import { currencyByCode } from '../../src/contract/currencies.ts';
import { type Body, header, type Reply } from '../../src/journal/exchange.ts';
import { answerOfReply } from '../../src/reply/classify.ts';
import { plainSuccess } from '../../src/reply/plain-success.ts';
import { problemsOf } from '../../src/reply/problems.ts';
import { readOnce } from '../../src/reply/read.ts';
import { bodyOf } from '../../src/wire/body.ts';
import * as properties from '../properties.ts';

const JSON_TYPE = [['Content-Type', 'application/json']] as const;

const NAMES = ['balance', 'txID', 'txid', 'code', 'message', 'error', '', '__proto__', 'é'];
const AMOUNTS = ['0', '0.00', '12.50', '00.1', '1.', '.5', '-1.00', '+1', '1e3', '1,0', '1.2345', '9'.repeat(30), ''];

/** A JSON value as text: amounts and ids in right and wrong forms, and any other value. */
const value = properties.oneof(
  properties.constantFrom(...AMOUNTS.map((amount) => `"${amount}"`)),
  properties.constantFrom(
    '12.50',
    '0',
    'null',
    'true',
    '{}',
    '[]',
    '"op-1"',
    '""',
    '"a\\"b"',
    '"\\u0031"',
    '"é"',
    '"\t"',
  ),
  properties.integer({ min: 0, max: 99_999 }).map((units) => `"${(units / 100).toFixed(2)}"`),
  properties.jsonValue().map((one) => JSON.stringify(one)),
);
const space = properties.constantFrom('', '', '', ' ', '  ', '\n', '\t', '\u00a0');
const name = properties.oneof(
  { weight: 6, arbitrary: properties.constantFrom('balance', 'txID') },
  properties.constantFrom(...NAMES),
);
const member = properties.tuple(name, space, space, value).map(([key, a, b, text]) => `"${key}"${a}:${b}${text}`);
const object = properties
  .tuple(space, properties.array(properties.tuple(member, space), { maxLength: 4 }), space)
  .map(([begin, members, end]) => `${begin}{${members.map(([text, gap]) => `${text}${gap}`).join(',')}}${end}`);
/** A body near the usual form: a usual body with one character removed, added or replaced. */
const nearlyUsual = properties
  .tuple(
    properties.constantFrom(
      '{"balance":"12.50","txID":"op-1"}',
      '{"txID": "op-1", "balance": "3"}',
      '{"balance":"0.10"}',
      // The longest amounts and the longest txID that are recognised.
      '{"balance":"123456789012345"}',
      '{"balance":"1.123456789012345"}',
      `{"balance":"1","txID":"${'x'.repeat(200)}"}`,
    ),
    properties.nat(40),
    properties.nat(1),
    properties.oneof(
      properties.constantFrom('', '0', '"', '\\', ',', '.', ' '),
      properties.string({ unit: 'binary', maxLength: 1 }),
    ),
  )
  .map(([text, at, removed, added]) => text.slice(0, at) + added + text.slice(at + removed));
const body = properties
  .oneof(object, object, nearlyUsual, properties.string())
  .chain((text) =>
    properties.oneof(
      { weight: 8, arbitrary: properties.constant<Body>(bodyOf(Buffer.from(text))) },
      properties.constant<Body>(bodyOf(Buffer.from(text, 'latin1'))),
      properties.constant<Body>({ ...bodyOf(Buffer.from(text)), truncated: true }),
    ),
  );
const headers = properties.oneof(
  { weight: 6, arbitrary: properties.constant(JSON_TYPE) },
  properties.constantFrom(
    [],
    [['content-TYPE', 'application/json; charset=utf-8']] as const,
    [['Content-Type', 'application/json; charset=latin1']] as const,
    [['Content-Type', 'text/html'], JSON_TYPE[0]] as const,
  ),
);
const reply = properties.record({
  status: properties.oneof(
    { weight: 6, arbitrary: properties.constant(200) },
    properties.constantFrom(201, 204, 302, 401, 402, 500),
  ),
  headers,
  body,
  excess: properties.oneof({ weight: 6, arbitrary: properties.constant(0) }, properties.constantFrom(1, 5)),
});

/** The bodies that are recognised. Headers, status and currency do not matter here. */
const BALANCE = '"balance": ?"(?:0|[1-9]\\d{0,14})(?:\\.\\d{1,15})?"';
const TX_ID = '"txID": ?"[ !#-\\[\\]-~]{1,200}"';
const PLAIN = new RegExp(`^\\{(?:${BALANCE}(?:, ?${TX_ID})?|${TX_ID}, ?${BALANCE})\\}$`);

describe('a plain success', () => {
  it('is exactly a reply whose body has the usual form', () => {
    let recognised = 0;
    properties.assert(
      properties.property(
        properties.oneof(
          body,
          nearlyUsual.map((text) => bodyOf(Buffer.from(text))),
        ),
        (one) => {
          const isPlain =
            plainSuccess('balance', { status: 200, headers: JSON_TYPE, body: one }, undefined) !== undefined;
          expect(isPlain).toBe(one.encoding === 'utf8' && !one.truncated && PLAIN.test(one.data));
          if (isPlain) recognised += 1;
        },
      ),
      { numRuns: 20_000 },
    );
    expect(recognised).toBeGreaterThan(200);
  });

  it('is only a reply that the full judgement accepts without a problem, and has the same fields', () => {
    let recognised = 0;
    properties.assert(
      properties.property(
        properties.constantFrom(...CALL_NAMES),
        reply,
        properties.constantFrom('EUR', 'JPY', 'CLP', 'BTC', 'XYZ'),
        properties.boolean(),
        (call, { excess, ...rest }, code, isBetKnown) => {
          const given: Reply = { ...rest, ...(excess > 0 && { excessBytes: excess }) };
          const currency = currencyByCode(code);
          const plain = plainSuccess(call, given, currency);
          if (!plain) return;
          recognised += 1;
          const reading = readOnce(given);
          const answer = answerOfReply(call, given.status, reading);
          const contentType = header(given.headers, 'content-type');
          const { status } = given;
          expect(answer).toBe('accepted');
          expect(problemsOf({ call, answer, status, reading, contentType, currency, isBetKnown })).toEqual([]);
          expect(reading.balance.written).toBe(plain.written);
          expect(reading.balance.money?.equals(plain.balance)).toBe(true);
          expect(reading.txID).toBe(plain.txID);
          expect(reading.code).toBeUndefined();
        },
      ),
      { numRuns: 20_000 },
    );
    expect(recognised).toBeGreaterThan(200);
  });

  it.each([
    ['{"balance":"12.50","txID":"op-1"}'],
    ['{"txID":"b2f1","balance":"0"}'],
    ['{"balance": "12.50", "txID": "a b/c+d="}'],
  ])('is every usual reply, such as %s', (text) => {
    const given = { status: 200, headers: JSON_TYPE, body: bodyOf(Buffer.from(text)) };
    expect(plainSuccess('bet', given, currencyByCode('EUR'))).toBeDefined();
  });

  it('is no reply to a bet without a txID, and no balance with too many decimals', () => {
    const of = (text: string) => ({ status: 200, headers: JSON_TYPE, body: bodyOf(Buffer.from(text)) });
    expect(plainSuccess('balance', of('{"balance":"1.00"}'), currencyByCode('EUR'))?.written).toBe('1.00');
    expect(plainSuccess('bet', of('{"balance":"1.00"}'), currencyByCode('EUR'))).toBeUndefined();
    expect(plainSuccess('balance', of('{"balance":"1.000"}'), currencyByCode('EUR'))).toBeUndefined();
    expect(plainSuccess('balance', of('{"balance":"1.00"}'), currencyByCode('JPY'))).toBeUndefined();
  });
});
