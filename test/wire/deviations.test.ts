import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type BodyFormat,
  type QueryEncoding,
  type QueryOrder,
  SIGN_KINDS,
  type SignKind,
} from '../../src/contract/deviation.ts';
import { formatBody, type QueryParam, queryText, signatureFor } from '../../src/wire/deviations.ts';

const value = { b: 'é/"x', a: [1, { z: null, y: true }], c: '' };

test.each<[BodyFormat, string]>([
  ['canonical', '{"a":[1,{"y":true,"z":null}],"b":"é/\\"x","c":""}'],
  ['spaced', '{"a": [1, {"y": true, "z": null}], "b": "é/\\"x", "c": ""}'],
  ['unsorted', '{"c":"","b":"é/\\"x","a":[1,{"z":null,"y":true}]}'],
  ['escaped', '{"a":[1,{"y":true,"z":null}],"b":"\\u00e9\\/\\"x","c":""}'],
])('a body is written in the format %s', (format, text) => {
  expect(formatBody(value, format)).toBe(text);
});

test.each<BodyFormat>(['pretty', 'spaced', 'unsorted', 'escaped'])(
  'a body in the format %s has the same value and is not canonical',
  (format) => {
    const body = { ...value, txID: 'abc' };
    expect(JSON.parse(formatBody(body, format))).toEqual(body);
    expect(formatBody(body, format)).not.toBe(formatBody(body, 'canonical'));
  },
);

const params: QueryParam[] = [
  ['b', ' a+%:@=/?é'],
  ['a', '1'],
];

test.each<[QueryEncoding, string]>([
  ['standard', 'b=%20a%2B%25%3A%40%3D%2F%3F%C3%A9&a=1'],
  ['all', '%62=%20%61%2B%25%3A%40%3D%2F%3F%C3%A9&%61=%31'],
  ['letters', 'b=%20%61%2B%25%3A%40%3D%2F%3F%C3%A9&a=1'],
  ['minimal', 'b=%20a%2B%25:@=/?%C3%A9&a=1'],
  ['plus', 'b=+a%2B%25%3A%40%3D%2F%3F%C3%A9&a=1'],
])('a query is written in the encoding %s', (encoding, text) => {
  expect(queryText(params, 'as-given', encoding)).toBe(text);
  expect([...new URLSearchParams(text)]).toEqual(params);
});

test.each<[QueryOrder, string]>([
  ['as-given', 'c=1&a=2&b=3'],
  ['sorted', 'a=2&b=3&c=1'],
  ['reversed', 'c=1&b=3&a=2'],
])('the parameters of a query are written in the order %s', (order, text) => {
  const given: QueryParam[] = [
    ['c', '1'],
    ['a', '2'],
    ['b', '3'],
  ];
  expect(queryText(given, order, 'standard')).toBe(text);
});

const payload = Buffer.from('{"a":1}');
const right = createHmac('sha256', 'secret').update(payload).digest('hex');
const of = (kind: SignKind): string | undefined => signatureFor(kind, payload, 'secret', 'other');

test('only the kind `valid` gives the right signature, and all kinds differ', () => {
  const values = SIGN_KINDS.map(of);
  expect(of('valid')).toBe(right);
  expect(new Set(values).size).toBe(SIGN_KINDS.length);
});

test.each<[SignKind, RegExp]>([
  ['empty', /^$/],
  ['garbage', /^[0-9a-f]{64}$/],
  ['malformed', /^not-a-signature$/],
  ['wrong-key', /^[0-9a-f]{64}$/],
  ['truncated', new RegExp(`^${right.slice(0, 32)}$`)],
  ['prefix', new RegExp(`^${right.slice(0, 8)}[0-9a-f]{56}$`)],
  ['suffix', new RegExp(`^[0-9a-f]${right.slice(1)}$`)],
  ['one-off', new RegExp(`^${right.slice(0, -1)}[0-9a-f]$`)],
  ['upper-case', new RegExp(`^${right.toUpperCase()}$`)],
])('a signature of the kind %s has its form', (kind, pattern) => {
  expect(of(kind)).toMatch(pattern);
});

const same = (value = ''): number => Array.from(value).filter((digit, at) => digit === right[at]).length;

test('signatures of the kinds prefix, suffix and one-off keep exactly their digits', () => {
  expect([same(of('prefix')), same(of('suffix')), same(of('one-off'))]).toEqual([8, 63, 63]);
});

test('signatures of the kinds base64, of-other-body, other-client and empty-key are made as their names say', () => {
  expect(Buffer.from(of('base64') ?? '', 'base64').toString('hex')).toBe(right);
  expect(of('of-other-body')).toBe(createHmac('sha256', 'secret').update('{}').digest('hex'));
  expect(of('other-client')).toBe(createHmac('sha256', 'other').update(payload).digest('hex'));
  expect(of('empty-key')).toBe(createHmac('sha256', '').update(payload).digest('hex'));
  expect(of('missing')).toBeUndefined();
  expect(() => signatureFor('other-client', payload, 'secret', undefined)).toThrow(TypeError);
});
