import { expect, it } from 'vitest';
import { decodeEscapes, queryOf, readQuery } from '../../src/contract/query.ts';

it.each([
  ['https://host/eu/balance?a=1&b=?2#end', 'a=1&b=?2'],
  ['/eu/balance?a=1', 'a=1'],
  ['a=1', 'a=1'],
  ['?a=1', 'a=1'],
  ['/eu/balance', ''],
  ['https://host/eu/balance', ''],
])('the query of %s is "%s"', (text, query) => {
  expect(queryOf(text)).toBe(query);
});

it('readQuery decodes parameters as HTML forms, keeps their order, and keeps a name that occurs twice', () => {
  expect(readQuery('b=1+2&&a=%2B%C3%BC&b&c=x=y&?d=1')).toEqual([
    ['b', '1 2'],
    ['a', '+ü'],
    ['b', ''],
    ['c', 'x=y'],
    ['?d', '1'],
  ]);
  expect(readQuery('a=1+2%20', decodeEscapes)).toEqual([['a', '1+2 ']]);
});

it.each(['a=%', 'a=%zz', '%ff=1', 'a=%ED%A0%80'])(
  'readQuery refuses %s, which has an escape that is not UTF-8',
  (query) => {
    expect(() => readQuery(query)).toThrow(URIError);
  },
);
