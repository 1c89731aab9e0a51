import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  canonicalBody,
  isSigned,
  queryPayload,
  type ReceivedRequest,
  rightSignature,
  signBody,
  signQuery,
  verify,
  verifySignature,
} from '../../src/contract/signature.ts';
import * as fc from '../properties.ts';

interface Vector {
  readonly name: string;
  /** One of the two. */
  readonly key?: string;
  readonly keyHex?: string;
  /** One of the three. */
  readonly payloadHex?: string;
  readonly body?: string;
  readonly query?: [string, string][];
  /** The signed payload of a query. */
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

describe('a right signature', () => {
  it.each(accepted.filter((vector) => !vector.query))('is accepted for a body: $name', (vector) => {
    expect(signBody(bytesOf(vector), keyOf(vector))).toBe(vector.signature);
    expect(verifySignature(bytesOf(vector), keyOf(vector), vector.signature)).toBe(true);
  });

  it.each(accepted.filter((vector) => vector.query))('is accepted for a query in any order: $name', (vector) => {
    const params = vector.query ?? [];
    for (const order of [params, params.toReversed()]) {
      expect(queryPayload(order)).toBe(vector.payload);
      expect(signQuery(order, keyOf(vector))).toBe(vector.signature);
    }
    expect(verifySignature(vector.payload ?? '', keyOf(vector), vector.signature)).toBe(true);
  });
});

describe('a wrong signature', () => {
  it.each(refused)('is refused: $name ($reason)', (vector) => {
    expect(verifySignature(bytesOf(vector), keyOf(vector), vector.header ?? undefined)).toBe(false);
  });

  it('has a vector for every usual mistake', () => {
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
  ] as const)('cannot be made for a query with a name %s', (_, params, name) => {
    expect(() => queryPayload(params)).toThrow(
      new RangeError(`the query parameter "${name}" occurs more than once, so it cannot be signed`),
    );
  });

  it('cannot be made for a query that has no UTF-8 form', () => {
    expect(() => signQuery([['sessionID', '\ud83d']], 'key')).toThrow('$.sessionID');
  });
});

describe('any signature', () => {
  it('verifies with its own key and payload, and not after a change of one bit', () => {
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

const KEY = 'a key that is none';
const sign = (text: string, key = KEY): string => signBody(Buffer.from(text), key);
const CANONICAL = '{"amount":"1.00","txID":"t"}';
const SPACED = '{ "txID": "t", "amount": "1.00" }';
const RIGHT = sign(CANONICAL);

const post = (changes: Partial<ReceivedRequest> = {}): ReceivedRequest => ({
  method: 'POST',
  query: null,
  body: Buffer.from(CANONICAL),
  signature: RIGHT,
  source: 'wire',
  ...changes,
});
const get = (query: string | null, changes: Partial<ReceivedRequest> = {}): ReceivedRequest => ({
  method: 'GET',
  query,
  body: null,
  signature: signQuery([['sessionID', 's 1']], KEY),
  source: 'wire',
  ...changes,
});
const reserialised = { body: Buffer.from(SPACED), signature: RIGHT };

describe('the result of checking a signature', () => {
  it.each<[string, string, ReceivedRequest]>([
    ['it is made over the raw body', 'right', post({ body: Buffer.from(SPACED), signature: sign(SPACED) })],
    ['it is made with another key', 'wrong', post({ signature: sign(CANONICAL, 'another') })],
    ['it is made over another body', 'wrong', post({ signature: sign('{}') })],
    ['it is not a signature', 'wrong', post({ signature: 'garbage' })],
    ['there is no header', 'missing', post({ signature: undefined })],
    ['the header is empty', 'missing', post({ signature: ' ' })],
    ['it is made over the decoded parameters of the query', 'right', get('sessionID=s%201')],
    ['the query has a plus for a space', 'right', get('sessionID=s+1')],
    ['a parameter is added to the query', 'wrong', get('sessionID=s+1&a=1')],
    ['the query is empty, and {} is signed', 'right', get('', { signature: sign('{}') })],
  ])('if %s, it is "%s"', (_why, state, request) => {
    expect(verify(request, ['another one', KEY])).toBe(state);
  });

  it('is "missing" for a call without a signature even if no key is known', () => {
    expect(verify(post({ signature: undefined }), [])).toBe('missing');
  });
});

describe('the result of checking a signature is "unknown", so that no operator is accused,', () => {
  it.each<[string, ReceivedRequest]>([
    ['if the headers are unknown', post({ signature: null })],
    ['if not all of the body is known', post({ body: null })],
    ['if the query is unknown', get(null)],
    ['if a parameter occurs twice', get('sessionID=s%201&sessionID=s%201')],
    ['if the escapes of the query are not UTF-8', get('sessionID=%ff')],
    ['if an access log leaves the query out', get('', { source: 'record' })],
    ['if the signature is masked in a file', post({ signature: 'ab12****', source: 'record' })],
    ['if the signature is masked in a log', post({ signature: '[REDACTED]', source: 'log' })],
    [
      'if only the canonical form of the body gives it, because some operators write the body again',
      post(reserialised),
    ],
    ['if only the canonical form of the exact body in a file gives it', post({ ...reserialised, source: 'record' })],
    ['if its digits are in upper case, because some operators accept them', post({ signature: RIGHT.toUpperCase() })],
  ])('%s', (_why, request) => {
    expect(verify(request, [KEY])).toBe('unknown');
  });

  it('if no key is known', () => {
    expect(verify(post(), [])).toBe('unknown');
  });

  it('but not if a log wrote the body again and the canonical form gives it: then it is "right"', () => {
    expect(verify(post({ ...reserialised, source: 'log' }), [KEY])).toBe('right');
  });

  it('but not if the header on the wire looks masked: then it is "wrong"', () => {
    expect(verify(post({ signature: '****' }), [KEY])).toBe('wrong');
  });
});

describe('isSigned and rightSignature', () => {
  it('accept only the exact signature, without the cases that the contract leaves open', () => {
    expect(isSigned({ ...post(), signature: RIGHT }, [KEY])).toBe(true);
    expect(isSigned({ ...post(), signature: RIGHT.toUpperCase() }, [KEY])).toBe(false);
    expect(isSigned({ ...post(), body: Buffer.from(SPACED), signature: RIGHT }, [KEY])).toBe(false);
    expect(isSigned({ method: 'GET', query: 'a=1&a=1', body: null, signature: sign('{"a":"1"}') }, [KEY])).toBe(false);
  });

  it('sign the body of a POST and the decoded query of a GET', () => {
    expect(rightSignature(post(), KEY)).toBe(RIGHT);
    expect(rightSignature(get('b=%C3%BC&a=1'), KEY)).toBe(sign('{"a":"1","b":"ü"}'));
    expect(rightSignature(get('a=%'), KEY)).toBeUndefined();
  });
});

it('a body has a canonical form only if all parsers read its JSON in the same way', () => {
  expect(canonicalBody(Buffer.from(SPACED))).toBe(CANONICAL);
  for (const text of ['', '{', '{"a":1,"a":2}', '"\\ud800"']) expect(canonicalBody(Buffer.from(text))).toBeUndefined();
});
