import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json.ts';
import type { Body } from '../../src/journal/exchange.ts';
import { describeJsonProblem, lenientMoney, readJsonObject, readReply } from '../../src/reply/read.ts';
import { bodyOf } from '../judge/judged-scenario.ts';

const read = (body: JsonValue) =>
  readReply({ status: 200, headers: [['content-type', 'application/json']], body: bodyOf(body) });

describe('An amount that is not a plain decimal', () => {
  it.each([
    ['12.50', '12.50'],
    ['-3', '-3'],
    ['+3.1', '3.10'],
    ['1e3', '1000'],
    ['1.5E-2', '0.015'],
    ['1,234.50', '1234.50'],
    ["1'234'567", '1234567'],
    ['1.234.567,50', '1234567.50'],
    ['1\u00a0234,50', '1234.50'],
    ['1\u202f234\u202f567.50', '1234567.50'],
    ['1\u2019234.50', '1234.50'],
    ['12,5', '12.50'],
    ['$ 4.00', '4'],
    ['4.00 EUR', '4'],
    ['.5', '0.50'],
    ['007', '7'],
  ])('is read leniently: %s is %s', (text, money) => {
    expect(lenientMoney(text)?.toString()).toBe(money);
  });

  it.each(['', 'a lot', '.', '1.2.3', '--1', 'NaN'])(
    'is not read at all if it is ambiguous or not an amount: %j',
    (text) => {
      expect(lenientMoney(text)).toBeUndefined();
    },
  );
});

it.each([
  ['{"balance":"12.50"}', 'plain', '12.50', 2],
  ['{"balance":12.50}', 'number', '12.50', 2],
  ['{"balance":1e2}', 'number', '100', 0],
  ['{"balance":"+1.000"}', 'odd-text', '1', 3],
  ['{"balance":"-0.01"}', 'negative', '-0.01', 2],
  ['{"balance":"rich"}', 'not-an-amount', undefined, 0],
  ['{"balance":null}', 'not-an-amount', undefined, 0],
  ['{}', 'missing', undefined, 0],
  ['<html>', 'missing', undefined, 0],
] as const)('The balance in the reply %s has the form %s', (body, form, money, decimals) => {
  const { balance } = read(body);
  expect([balance.form, balance.money?.toString(), balance.decimals]).toEqual([form, money, decimals]);
});

it.each([
  ['{"txID":"op-1"}', 'text', 'op-1'],
  ['{"txID":""}', 'empty', ''],
  ['{"txID":12345678901234567890}', 'number', '12345678901234567890'],
  ['{"txID":null}', 'other', undefined],
  ['{}', 'missing', undefined],
] as const)('The txID in the reply %s has the form %s', (body, form, txID) => {
  expect([read(body).txIDForm, read(body).txID]).toEqual([form, txID]);
});

it('Message, code and content type of a reply are read', () => {
  expect(read({ message: 'No', code: 'bet_limit' })).toMatchObject({
    message: 'No',
    messageForm: 'text',
    code: 'bet_limit',
    contentType: 'application/json',
  });
  expect(read({ message: 1 })).toMatchObject({ message: undefined, messageForm: 'other' });
});

const text = (data: string): Body => bodyOf(data);

it.each([
  [text(''), 'empty', false],
  [text('<html>'), 'not-json', false],
  [text('[1]'), 'not-object', false],
  [text('null'), 'not-object', false],
  [text('{"a":1,"a":2}'), 'duplicate-key', true],
  [text('{"a":{"b":1,"\\u0062":2}}'), 'duplicate-key', true],
  [text('\ufeff{"a":1}'), 'byte-order-mark', true],
  [
    {
      encoding: 'base64',
      data: Buffer.from('{"a":"\xe9"}', 'latin1').toString('base64'),
      length: 9,
      truncated: false,
    },
    'not-utf8',
    true,
  ],
  [{ ...text('{"a":1'), truncated: true }, 'truncated', false],
] as const)('The problem of the body %j is %s', (body, kind, readable) => {
  const { problem, object } = readJsonObject(body);
  expect(problem?.kind).toBe(kind);
  expect(object !== undefined).toBe(readable);
  if (problem) expect(describeJsonProblem(problem)).toMatch(/^the /);
});

it('A name may occur in two objects and in a text without being a duplicate', () => {
  expect(readJsonObject(text('{"a":{"b":1},"c":{"b":"b\\": 2"},"d":["b","b"]}')).problem).toBeUndefined();
});

it.each([
  '{"balance":90.00,"details":{"balance":5}}',
  '{"details":{"balance":5},"balance":90.00}',
  '{"balance":90.00,"list":[{"balance":5},{"balance":1e3}],"txID":"t"}',
  '{"b\\u0061lance":90.00,"details":{"balance":5}}',
  '{"balance":90.00,"text":"{\\"balance\\":5}"}',
])('The number of the reply itself counts, not one inside it: %s', (body) => {
  expect(readJsonObject(text(body)).numbers.get('balance')).toBe('90.00');
});

it('The texts of numbers in a reply are kept', () => {
  const { numbers } = readJsonObject(text('{"balance":90071992547409.93,"txID":1e3}'));
  expect(Object.fromEntries(numbers)).toEqual({ balance: '90071992547409.93', txID: '1e3' });
});
