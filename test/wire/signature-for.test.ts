import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { SIGN_KINDS, type SignKind } from '../../src/wire/sign-kind.ts';
import { signatureFor } from '../../src/wire/signature-for.ts';

const payload = Buffer.from('{"a":1}');
const right = createHmac('sha256', 'secret').update(payload).digest('hex');
const of = (kind: SignKind): string | undefined => signatureFor(kind, payload, 'secret', 'other');

test('only `valid` is right, and all kinds differ', () => {
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
  ['suffix', new RegExp(`^[0-9a-f]{56}${right.slice(-8)}$`)],
  ['one-off', new RegExp(`^${right.slice(0, -1)}[0-9a-f]$`)],
  ['upper-case', new RegExp(`^${right.toUpperCase()}$`)],
])('%s', (kind, pattern) => {
  expect(of(kind)).toMatch(pattern);
});

const same = (value = ''): number => Array.from(value).filter((digit, at) => digit === right[at]).length;

test('prefix and suffix keep no digit beyond theirs', () => {
  expect([same(of('prefix')), same(of('suffix')), same(of('one-off'))]).toEqual([8, 8, 63]);
});

test('base64, another body, another client', () => {
  expect(Buffer.from(of('base64') ?? '', 'base64').toString('hex')).toBe(right);
  expect(of('of-other-body')).toBe(createHmac('sha256', 'secret').update('{}').digest('hex'));
  expect(of('other-client')).toBe(createHmac('sha256', 'other').update(payload).digest('hex'));
  expect(of('missing')).toBeUndefined();
  expect(() => signatureFor('other-client', payload, 'secret', undefined)).toThrow(TypeError);
});
