import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import { canonicalize as ofLibrary } from 'json-canonicalize';
import { describe, expect, it } from 'vitest';
import { canonicalJson, NotCanonicalError } from '../../src/contract/canonical.ts';
import type { JsonValue } from '../../src/contract/json.ts';
import * as fc from '../properties.ts';

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/canonical/${name}`, import.meta.url), 'utf8');
}

function fromIeee(hex: string): number {
  return Buffer.from(hex.padStart(16, '0'), 'hex').readDoubleBE();
}

function refusalOf(value: unknown): { reason: string; path: string } {
  try {
    canonicalJson(value as JsonValue);
  } catch (error) {
    if (error instanceof NotCanonicalError) return { reason: error.reason, path: error.path };
    throw error;
  }
  throw new Error('it was not refused');
}

describe('canonical JSON equals the samples of RFC 8785:', () => {
  it.each(['arrays', 'french', 'sorting', 'structures', 'unicode', 'values', 'weird'])(
    'the file %s, byte by byte',
    (name) => {
      const vector = JSON.parse(fixture(`${name}.json`)) as { input: string; utf8: string };
      const canonical = canonicalJson(JSON.parse(vector.input) as JsonValue);
      expect(Buffer.from(canonical).toString('hex')).toBe(vector.utf8);
      expect(canonicalJson(JSON.parse(canonical) as JsonValue)).toBe(canonical);
    },
  );

  const { numbers } = JSON.parse(fixture('numbers.json')) as { numbers: { ieee: string; canonical: string }[] };

  it.each(numbers)('the number $ieee is $canonical', ({ ieee, canonical }) => {
    expect(canonicalJson(fromIeee(ieee))).toBe(canonical);
  });

  it('the first thousand lines of its number file, which has a published hash', () => {
    const text = fixture('es6-numbers.csv');
    expect(createHash('sha256').update(text).digest('hex')).toBe(
      'be18b62b6f69cdab33a7e0dae0d9cfa869fda80ddc712221570f9f40a5878687',
    );
    for (const line of text.trim().split('\n')) {
      const [ieee = '', canonical] = line.split(',');
      expect(canonicalJson(fromIeee(ieee)), ieee).toBe(canonical);
    }
  });
});

describe('canonical JSON is refused for', () => {
  const vectors = JSON.parse(fixture('refused.json')) as {
    reason: string;
    why: string;
    path: string;
    json?: string;
    ieee?: string;
  }[];

  it.each(vectors)('a value with the problem $reason: $why', ({ reason, path, json, ieee }) => {
    const value: unknown = json === undefined ? fromIeee(ieee ?? '') : JSON.parse(json);
    expect(refusalOf(value)).toEqual({ reason, path });
  });

  class Point {
    x = 1;
  }

  it.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a BigInt', 1n],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a boxed number', Object(1)],
    ['a Buffer', Buffer.from('x')],
    ['an instance of a class', new Point()],
    ['an object with toJSON', { toJSON: () => 1 }],
  ])('%s at any place (not-json)', (_, value) => {
    expect(refusalOf(value).reason).toBe('not-json');
    expect(refusalOf([1, value]).reason).toBe('not-json');
    expect(refusalOf({ a: { b: value } })).toMatchObject({
      reason: 'not-json',
      path: expect.stringMatching(/^\$\.a\.b/),
    });
  });

  it('a hole in an array (not-json)', () => {
    const sparse: unknown[] = [1];
    sparse[2] = 3;
    expect(refusalOf(sparse)).toEqual({ reason: 'not-json', path: '$[1]' });
  });

  it('an object or array that contains itself (cycle)', () => {
    const object: Record<string, unknown> = { a: 1 };
    object.self = { inner: object };
    const array: unknown[] = [];
    array.push([array]);
    expect(refusalOf(object)).toEqual({ reason: 'cycle', path: '$.self.inner' });
    expect(refusalOf(array)).toEqual({ reason: 'cycle', path: '$[0][0]' });
  });

  it('a number that is not finite, with the place and the reason in the message', () => {
    expect(() => canonicalJson({ amount: [Number.NaN] })).toThrow(
      'no canonical JSON for the value at $.amount[0]: NaN and the infinities are not JSON numbers',
    );
  });
});

describe('canonical JSON is written for', () => {
  it('an object that occurs in several places, also under two names of which one is a prefix of the other', () => {
    const shared = { b: 2, a: 1 };
    expect(canonicalJson({ foo: shared, foobar: shared, list: [shared, shared] })).toBe(
      '{"foo":{"a":1,"b":2},"foobar":{"a":1,"b":2},"list":[{"a":1,"b":2},{"a":1,"b":2}]}',
    );
  });

  it('members with the names toJSON and __proto__', () => {
    expect(canonicalJson(JSON.parse('{"z":1,"toJSON":{"b":1,"a":2},"__proto__":[null]}') as JsonValue)).toBe(
      '{"__proto__":[null],"toJSON":{"a":2,"b":1},"z":1}',
    );
  });

  it('an object without a prototype, and 1000 levels', () => {
    expect(canonicalJson(Object.assign(Object.create(null), { b: 1, a: -0 }))).toBe('{"a":0,"b":1}');
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    expect(canonicalJson(JSON.parse(deep) as JsonValue)).toBe(deep);
  });
});

describe('json-canonicalize alone is wrong, and canonicalJson is right, for', () => {
  const shared = { b: 2, a: 1 };

  it('an object with a member named toJSON: the library does not sort it', () => {
    const value = { list: [{ z: 1, toJSON: { d: shared, c: 1 }, 2: 0, 10: 0 }] };
    expect(ofLibrary(value)).toContain('"2":0,"10":0,"z":1,"toJSON"');
    expect(canonicalJson(value)).toBe('{"list":[{"10":0,"2":0,"toJSON":{"c":1,"d":{"a":1,"b":2}},"z":1}]}');
    expect(canonicalJson(value)).toBe(canonicalize(value));
  });

  it('an object under two names of which one is a prefix of the other: the library reports a cycle', () => {
    const value = { foo: shared, foobar: shared };
    expect(() => ofLibrary(value)).toThrow('Circular');
    expect(canonicalJson(value)).toBe(canonicalize(value));
  });

  it('an unpaired surrogate in a text or a name: the library writes it', () => {
    expect(ofLibrary({ a: '\ud800' })).toBe('{"a":"\\ud800"}');
    expect(refusalOf({ a: '\ud800' })).toEqual({ reason: 'lone-surrogate', path: '$.a' });
    expect(refusalOf({ '\udc00': 1 }).reason).toBe('lone-surrogate');
  });

  it('a member that is undefined: the library leaves it out', () => {
    expect(ofLibrary({ a: undefined })).toBe('{}');
    expect(refusalOf({ a: undefined })).toEqual({ reason: 'not-json', path: '$.a' });
  });
});

function reversed(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner)]),
  );
}

describe('the canonical form of any JSON', () => {
  const json = fc.jsonValue({ stringUnit: 'binary' }) as fc.Arbitrary<JsonValue>;

  it('is the same in an independent implementation', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(text).toBe(canonicalize(value));
      }),
      { numRuns: 1000, examples: [[{ '\u{1f600}': 1, '\ufb33': 2, a: '<&>\u2028/' }]] },
    );
  });

  it('is its own canonical form, and does not depend on the order of members', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
        expect(canonicalJson(reversed(value))).toBe(text);
      }),
    );
  });
});
