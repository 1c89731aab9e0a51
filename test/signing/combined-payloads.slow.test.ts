import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { combinedPayloads } from '../../src/signing/combined-payloads.ts';
import { explainSignature } from '../../src/signing/explain.ts';
import type { OfferedKey } from '../../src/signing/keys.ts';
import * as fc from '../properties.ts';

const KEY = 'c0ffee-key-of-acme';
const OLD = 'the key of last year';
const KEYS: readonly OfferedKey[] = [
  { text: KEY, name: 'the right key', role: 'integration' },
  { text: OLD, name: 'the older key', role: 'unknown' },
];
const hmac = (payload: string, key = KEY): string => createHmac('sha256', key).update(payload).digest('hex');
const BODY = '{"amount":"1.00","roundID":"r/1","sessionID":"s-é&1","txID":"t-1","type":"regular"}';
const post = (signature: string) => ({
  method: 'POST',
  url: 'https://wallet.example/eu/bet',
  body: Buffer.from(BODY),
  signature,
});

describe('two mistakes in one payload', () => {
  it.each([
    ['a float, by Go', String.raw`{"amount":1,"roundID":"r/1","sessionID":"s-é\u00261","txID":"t-1","type":"regular"}`],
    [
      'a class, by PHP',
      String.raw`{"sessionID":"s-\u00e9&1","txID":"t-1","roundID":"r\/1","amount":"1.00","type":"regular"}`,
    ],
    ['a class with a float', '{"sessionID":"s-é&1","txID":"t-1","roundID":"r/1","amount":1,"type":"regular"}'],
    [
      'a class with a line break',
      '{"sessionID":"s-é&1","txID":"t-1","roundID":"r/1","amount":"1.00","type":"regular"}\n',
    ],
    [
      'a class with a float, by Python',
      String.raw`{"sessionID": "s-\u00e9&1", "txID": "t-1", "roundID": "r/1", "amount": 1.0, "type": "regular"}`,
    ],
    [
      'a field that is missing, by Python',
      String.raw`{"amount": "1.00", "roundID": "r/1", "sessionID": "s-\u00e9&1", "txID": "t-1"}`,
    ],
    [
      'a field that was not sent',
      '{"amount":"1.00","roundID":"r/1","sessionID":"s-é&1","txID":"t-1","type":"regular","frID":null}',
    ],
    [
      'base64 of the JSON of PHP',
      Buffer.from(
        String.raw`{"amount":"1.00","roundID":"r\/1","sessionID":"s-\u00e9&1","txID":"t-1","type":"regular"}`,
      ).toString('base64'),
    ],
    [
      'the path and the JSON of Python',
      String.raw`/eu/bet{"amount": "1.00", "roundID": "r/1", "sessionID": "s-\u00e9&1", "txID": "t-1", "type": "regular"}`,
    ],
    [
      'another order, by PHP',
      String.raw`{"type":"regular","amount":"1.00","txID":"t-1","roundID":"r\/1","sessionID":"s-\u00e9&1"}`,
    ],
  ])('are found in a body: %s', (_, payload) => {
    const explanation = explainSignature(post(hmac(payload)), KEYS);
    expect(explanation).toMatchObject({ kind: 'explained', found: { key: { id: 'right-key' } } });
    expect(explanation.kind === 'explained' && explanation.found.payload.bytes).toEqual(Buffer.from(payload));
  });

  it('are found together with another key', () => {
    const payload = '{"sessionID":"s-é&1","txID":"t-1","roundID":"r/1","amount":1,"type":"regular"}';
    expect(explainSignature(post(hmac(payload, OLD)), KEYS)).toMatchObject({
      kind: 'explained',
      found: { key: { name: 'the older key' } },
    });
  });

  it.each([
    ['not decoded, by Python', '{"game": "a%20b", "sessionID": "s-%C3%A9"}'],
    ['not decoded, nor sorted', '{"sessionID":"s-%C3%A9","game":"a%20b"}'],
    ['the query with a line break', 'sessionID=s-%C3%A9&game=a%20b\n'],
  ])('are found in a query: %s', (_, payload) => {
    const url = 'https://wallet.example/eu/balance?sessionID=s-%C3%A9&game=a%20b';
    const request = { method: 'GET', url, body: null, signature: hmac(payload) };
    expect(explainSignature(request, KEYS)).toMatchObject({ kind: 'explained', found: { fixes: ['query'] } });
  });
});

describe('a search for combined payloads', () => {
  it('tries a limited number of payloads for any request', () => {
    const body = fc.oneof(fc.json(), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(body, fc.boolean(), (text, isQuery) => {
        const request = isQuery
          ? { method: 'GET', url: `/balance?${text}`, body: null, signature: undefined }
          : { ...post(''), body: Buffer.from(text) };
        expect(combinedPayloads(request).length).toBeLessThan(60_000);
      }),
      { numRuns: 20 },
    );
    expect(combinedPayloads({ ...post(''), body: Buffer.alloc(5000, 0x20) })).toEqual([]);
  });
});
