import { expect, test } from 'vitest';
import { type QueryEncoding, type QueryOrder, type QueryParam, queryText } from '../../src/wire/query.ts';

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
])('%s', (encoding, text) => {
  expect(queryText(params, 'as-given', encoding)).toBe(text);
  expect([...new URLSearchParams(text)]).toEqual(params);
});

test.each<[QueryOrder, string]>([
  ['as-given', 'c=1&a=2&b=3'],
  ['sorted', 'a=2&b=3&c=1'],
  ['reversed', 'c=1&b=3&a=2'],
])('%s', (order, text) => {
  const given: QueryParam[] = [
    ['c', '1'],
    ['a', '2'],
    ['b', '3'],
  ];
  expect(queryText(given, order, 'standard')).toBe(text);
});
