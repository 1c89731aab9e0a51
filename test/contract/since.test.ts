import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { field, isThere, knownFields } from '../../src/contract/since.ts';

it.each([
  [undefined, '1.0.0', true],
  ['1.9.0', '1.8.2', false],
  ['1.9.0', '1.9.0', true],
  ['1.9.0', '1.10.0', true],
] as const)('what came with %s is there in %s: %s', (since, version, expected) => {
  expect(isThere(since, version)).toBe(expected);
});

describe('knownFields', () => {
  const schema = z.object({ a: z.string(), b: z.string().optional().meta(field('Later.', '1.5.0')) });

  it('leaves out what came later, and keeps what nobody knows', () => {
    const value = { a: '1', b: '2', c: '3', toString: '4' };
    expect(knownFields(value, schema, '1.2.0')).toEqual({ a: '1', c: '3', toString: '4' });
    expect(knownFields(value, schema, '1.5.0')).toEqual(value);
  });
});
