import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { queryPayload, signBody, signQuery, verifySignature } from '../../src/contract/signature.ts';

interface Vector {
  readonly name: string;
  /** One of the two. */
  readonly key?: string;
  readonly keyHex?: string;
  /** One of the three. */
  readonly payloadHex?: string;
  readonly body?: string;
  readonly query?: [string, string][];
  /** What a query is signed as. */
  readonly payload?: string;
}

function vectors<Kind>(name: string): (Vector & Kind)[] {
  const text = readFileSync(new URL(`../../fixtures/signatures/${name}.json`, import.meta.url), 'utf8');
  return JSON.parse(text) as (Vector & Kind)[];
}

function keyOf(vector: Vector): string | Uint8Array {
  return vector.key ?? Buffer.from(vector.keyHex ?? '', 'hex');
}

function bytesOf(vector: Vector): Uint8Array {
  return vector.payloadHex === undefined ? Buffer.from(vector.body ?? '') : Buffer.from(vector.payloadHex, 'hex');
}

const accepted = vectors<{ signature: string }>('accepted');
const refused = vectors<{ header: string | null; reason: string }>('refused');

describe('what must be accepted', () => {
  it.each(accepted.filter((vector) => !vector.query))('$name', (vector) => {
    expect(signBody(bytesOf(vector), keyOf(vector))).toBe(vector.signature);
    expect(verifySignature(bytesOf(vector), keyOf(vector), vector.signature)).toBe(true);
  });

  it.each(accepted.filter((vector) => vector.query))('query: $name', (vector) => {
    const params = vector.query ?? [];
    for (const order of [params, params.toReversed()]) {
      expect(queryPayload(order)).toBe(vector.payload);
      expect(signQuery(order, keyOf(vector))).toBe(vector.signature);
    }
    expect(verifySignature(vector.payload ?? '', keyOf(vector), vector.signature)).toBe(true);
  });
});

describe('what must be refused', () => {
  it.each(refused)('$name ($reason)', (vector) => {
    expect(verifySignature(bytesOf(vector), keyOf(vector), vector.header ?? undefined)).toBe(false);
  });

  it('covers every way that the contract and its neighbours suggest', () => {
    const reasons = new Set(refused.map((vector) => vector.reason));
    for (const reason of ['missing', 'empty', 'upper-case', 'wrong key', 'base64', 'truncated to 128 bits']) {
      expect(reasons).toContain(reason);
    }
  });

  it.each([
    [
      'twice with one value',
      [
        ['a', '1'],
        ['b', '2'],
        ['b', '2'],
      ],
      'b',
    ],
    [
      'twice with two values',
      [
        ['__proto__', '1'],
        ['__proto__', '2'],
      ],
      '__proto__',
    ],
  ] as const)('a query with a name %s', (_, params, name) => {
    expect(() => queryPayload(params)).toThrow(
      new RangeError(`the query parameter "${name}" occurs more than once, so it cannot be signed`),
    );
  });

  it('a query that has no UTF-8 form', () => {
    expect(() => signQuery([['sessionID', '\ud83d']], 'key')).toThrow('$.sessionID');
  });
});

describe('whatever is signed', () => {
  it('verifies with its own key and payload, and after any change of one bit it does not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.string({ minLength: 1 }), fc.nat(), (payload, key, at) => {
        const signature = signBody(payload, key);
        expect(verifySignature(payload, key, signature)).toBe(true);
        const changed = Uint8Array.from(payload);
        const index = at % payload.length;
        changed[index] = (payload[index] ?? 0) ^ (1 << (at % 8));
        expect(verifySignature(changed, key, signature)).toBe(false);
        expect(verifySignature(payload, `${key}!`, signature)).toBe(false);
      }),
    );
  });
});
