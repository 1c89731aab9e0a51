import { describe, expect, it } from 'vitest';
import { hasTooManyNames, isTooDeep, MAX_JSON_LEVELS, MAX_JSON_NAMES, readJson } from '../../src/contract/json.ts';

function read(text: string) {
  return readJson(Buffer.from(text));
}

describe('readJson', () => {
  it.each([
    '{"a":1,"b":{"a":2}}',
    '[{"a":1},{"a":2}]',
    '{"a":["a","a"],"b":"a"}',
    '{"a\\"":1,"a":"{\\"a\\":1,\\"a\\":2}"}',
    '1',
  ])('reads %s as JSON', (text) => {
    expect(read(text)).toEqual({ kind: 'json', value: JSON.parse(text) });
  });

  it.each([
    ['', 'there is no body'],
    ['{"a":1,"a":2}', 'an object has the name "a" twice'],
    ['{"x":[{"b":[],"a":{},"\\u0062":0}]}', 'an object has the name "b" twice'],
    ['\uFEFF{}', 'is not valid JSON'],
    ['{"a":}', 'is not valid JSON'],
  ])('refuses the body %s with the reason "%s"', (text, reason) => {
    expect(read(text)).toMatchObject({ kind: 'refused', reason: expect.stringContaining(reason) });
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(readJson(Uint8Array.of(0x22, 0xff, 0x22))).toEqual({ kind: 'refused', reason: 'it is not text in UTF-8' });
  });

  it('reads long strings and deep nesting in linear time', () => {
    // A quadratic reader would exceed the time limit of the test.
    for (const text of [
      JSON.stringify({ a: 'x'.repeat(1_000_000) }),
      JSON.stringify({ a: '"\\\\'.repeat(200_000) }),
      `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
      `${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`,
    ]) {
      expect(read(text).kind).toBe('json');
    }
  });

  it('keeps a member with the name __proto__', () => {
    const result = read('{"__proto__":{"demo":true}}');
    expect(result.kind === 'json' && Object.keys(Object(result.value))).toEqual(['__proto__']);
  });
});

describe('isTooDeep', () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

  it.each([
    ['as many levels as are allowed', nested(MAX_JSON_LEVELS), false],
    ['more levels', nested(MAX_JSON_LEVELS + 2), true],
    ['many open levels', '['.repeat(100_000), true],
    ['many objects one after another', `[${'{"a":[]},'.repeat(1000)}1]`, false],
    ['many brackets in a text', `["${'['.repeat(1000)}"]`, false],
    ['many brackets after a quotation mark in a text', `["\\"${'['.repeat(1000)}"]`, false],
    ['a text that never ends', `["${'['.repeat(1000)}`, false],
    ['few characters', '[]', false],
  ])('counts %s', (_what, text, expected) => {
    expect(isTooDeep(text)).toBe(expected);
  });
});

describe('hasTooManyNames', () => {
  const members = (count: number, value = '1') => `{${`"a":${value},`.repeat(count - 1)}"a":${value}}`;

  it.each([
    ['as many names as are allowed', members(MAX_JSON_NAMES), false],
    ['more names', members(MAX_JSON_NAMES + 1), true],
    ['names in many objects', `[${`${members(2)},`.repeat(MAX_JSON_NAMES)}1]`, true],
    ['colons in texts', members(10, `"${'\\":'.repeat(MAX_JSON_NAMES)}"`), false],
    ['a text that never ends', `{"a${':'.repeat(2 * MAX_JSON_NAMES)}`, false],
    ['few characters', '{}', false],
  ])('counts %s', (_what, text, expected) => {
    expect(hasTooManyNames(text)).toBe(expected);
  });
});
