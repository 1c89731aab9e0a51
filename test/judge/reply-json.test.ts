import { expect, it } from 'vitest';
import type { Body } from '../../src/journal/exchange.ts';
import { describeJsonProblem, readJsonObject } from '../../src/judge/reply-json.ts';
import { bodyOf } from './story-builder.ts';

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
] as const)('%j: %s', (body, kind, readable) => {
  const { problem, object } = readJsonObject(body);
  expect(problem?.kind).toBe(kind);
  expect(object !== undefined).toBe(readable);
  if (problem) expect(describeJsonProblem(problem)).toMatch(/^the /);
});

it('takes equal names in different objects, and text that looks like a name, for no fault', () => {
  expect(readJsonObject(text('{"a":{"b":1},"c":{"b":"b\\": 2"},"d":["b","b"]}')).problem).toBeUndefined();
});

it('keeps numbers as they were written', () => {
  const { numbers } = readJsonObject(text('{"balance":90071992547409.93,"txID":1e3}'));
  expect(Object.fromEntries(numbers)).toEqual({ balance: '90071992547409.93', txID: '1e3' });
});
