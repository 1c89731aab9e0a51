import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json.ts';
import { lenientMoney, readReply } from '../../src/judge/reading.ts';
import { bodyOf } from './story-builder.ts';

const read = (body: JsonValue) =>
  readReply({ status: 200, headers: [['content-type', 'application/json']], body: bodyOf(body) });

describe('money, read with good will', () => {
  it.each([
    ['12.50', '12.5'],
    ['-3', '-3'],
    ['+3.1', '3.1'],
    ['1e3', '1000'],
    ['1.5E-2', '0.015'],
    ['1,234.50', '1234.5'],
    ["1'234'567", '1234567'],
    ['12,5', '12.5'],
    ['$ 4.00', '4'],
    ['4.00 EUR', '4'],
    ['.5', '0.5'],
    ['007', '7'],
  ])('%s is %s', (text, money) => {
    expect(lenientMoney(text)?.toString()).toBe(money);
  });

  it.each(['', 'a lot', '.', '1.2.3', '--1', 'NaN'])('%j is no amount', (text) => {
    expect(lenientMoney(text)).toBeUndefined();
  });
});

it.each([
  ['{"balance":"12.50"}', 'plain', '12.5', 2],
  ['{"balance":12.50}', 'number', '12.5', 2],
  ['{"balance":1e2}', 'number', '100', 0],
  ['{"balance":"+1.000"}', 'odd-text', '1', 3],
  ['{"balance":"-0.01"}', 'odd-text', '-0.01', 2],
  ['{"balance":"rich"}', 'not-an-amount', undefined, 0],
  ['{"balance":null}', 'not-an-amount', undefined, 0],
  ['{}', 'missing', undefined, 0],
  ['<html>', 'missing', undefined, 0],
] as const)('reads the balance of %s as %s', (body, form, money, decimals) => {
  const { balance } = read(body);
  expect([balance.form, balance.money?.toString(), balance.decimals]).toEqual([form, money, decimals]);
});

it.each([
  ['{"txID":"op-1"}', 'text', 'op-1'],
  ['{"txID":""}', 'empty', ''],
  ['{"txID":12345678901234567890}', 'number', '12345678901234567890'],
  ['{"txID":null}', 'other', undefined],
  ['{}', 'missing', undefined],
] as const)('reads the txID of %s as %s', (body, form, txID) => {
  expect([read(body).txIDForm, read(body).txID]).toEqual([form, txID]);
});

it('reads message, code and content type', () => {
  expect(read({ message: 'No', code: 'bet_limit' })).toMatchObject({
    message: 'No',
    messageForm: 'text',
    code: 'bet_limit',
    contentType: 'application/json',
  });
  expect(read({ message: 1 })).toMatchObject({ message: undefined, messageForm: 'other' });
});
