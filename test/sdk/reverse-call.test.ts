import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Verified, verifyBalance, verifyBet, verifyRefund, verifyWin } from '../../src/sdk/reverse-call.ts';

const key = 'integration-key';

/** Computed without the project's own signer, so that both cannot be wrong in the same way. */
const mac = (payload: string | Uint8Array, by = key) => createHmac('sha256', by).update(payload).digest('hex');

const BET = { amount: '0.90', roundID: randomUUID(), sessionID: 's', txID: randomUUID(), type: 'regular' };
const REFUND = { amount: '0.90', origTxID: randomUUID(), sessionID: 's', txID: randomUUID() };

function bytes(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}

function reasonOf(verified: Verified<unknown>): string {
  return verified.kind === 'refused' ? verified.reason : 'call';
}

describe.each([
  ['verifyBet', verifyBet, BET],
  ['verifyWin', verifyWin, BET],
  ['verifyRefund', verifyRefund, REFUND],
])('%s', (_name, verify, call) => {
  it('returns the call with all its fields, including unknown ones', () => {
    const body = bytes({ ...call, later: { a: 1 } });
    expect(verify({ body, signature: mac(body), key })).toEqual({ kind: 'call', call: { ...call, later: { a: 1 } } });
  });

  it('verifies the bytes, not their JSON value', () => {
    const body = bytes(JSON.stringify({ ...call, note: '/é😀<>&\u2028' }, null, 1).replace('/', '\\/'));
    expect(reasonOf(verify({ body, signature: mac(body), key }))).toBe('call');
    expect(reasonOf(verify({ body: bytes(JSON.parse(body.toString())), signature: mac(body), key }))).toBe(
      'bad-signature',
    );
  });

  it.each([
    ['no signature', undefined],
    ['an empty signature', ''],
    ['a signature with another key', mac(bytes(call), 'other-key')],
    ['half of the signature', mac(bytes(call)).slice(0, 32)],
    ['a signature that is too long', `${mac(bytes(call))}00`],
    ['a signature in upper case', mac(bytes(call)).toUpperCase()],
  ])('refuses %s', (_what, signature) => {
    expect(reasonOf(verify({ body: bytes(call), signature, key }))).toBe('bad-signature');
  });

  it.each([
    ['that is not JSON', bytes('{')],
    ['that is empty', bytes('')],
    ['that is not UTF-8', Buffer.concat([bytes('{"a":"'), Buffer.from([0xc3]), bytes('"}')])],
  ])('reports a signed body %s as malformed', (_what, body) => {
    expect(reasonOf(verify({ body, signature: mac(body), key }))).toBe('malformed');
    expect(reasonOf(verify({ body, signature: mac('other'), key }))).toBe('bad-signature');
  });

  it('names the field that is invalid', () => {
    const body = bytes({ ...call, amount: '-1' });
    expect(verify({ body, signature: mac(body), key })).toMatchObject({
      kind: 'refused',
      reason: 'invalid',
      detail: expect.stringMatching(/^amount: /),
    });
  });
});

it.each([
  ['another type', verifyBet, { ...BET, type: 'bonus' }],
  ['a round id that is no UUID', verifyWin, { ...BET, roundID: 'round-17' }],
  ['null in an optional field of a bet', verifyBet, { ...BET, frID: null }],
  ['null in an optional field of a refund', verifyRefund, { ...REFUND, roundID: null }],
  ['a regular bet with a campaign', verifyBet, { ...BET, frID: 'spring' }],
] as const)('passes on a call with %s, because the contract does not exclude it', (_what, verify, call) => {
  const body = bytes(call);
  expect(verify({ body, signature: mac(body), key })).toEqual({ kind: 'call', call });
});

describe('verifyBalance', () => {
  const payload = '{"note":"a+b c/é=@","sessionID":"s"}';

  it.each([
    'sessionID=s&note=a%2Bb%20c%2F%C3%A9%3D%40',
    'note=a%2Bb+c/%c3%a9=@&sessionID=%73',
    'note=a%2Bb%20c/é=@&sessionID=s',
  ])('verifies the decoded parameters of %s', (query) => {
    expect(verifyBalance({ query, signature: mac(payload), key })).toEqual({
      kind: 'call',
      call: { note: 'a+b c/é=@', sessionID: 's' },
    });
  });

  it('reads a plus sign in the query as a space, and %2B as a plus sign', () => {
    expect(reasonOf(verifyBalance({ query: 'sessionID=a+b', signature: mac('{"sessionID":"a b"}'), key }))).toBe(
      'call',
    );
    expect(reasonOf(verifyBalance({ query: 'sessionID=a+b', signature: mac('{"sessionID":"a+b"}'), key }))).toBe(
      'bad-signature',
    );
  });

  it('refuses a changed, an added and a repeated parameter', () => {
    const signature = mac('{"sessionID":"s"}');
    for (const query of ['sessionID=t', 'sessionID=s&a=1', 'sessionID=s&sessionID=s', '?sessionID=s', '']) {
      expect(reasonOf(verifyBalance({ query, signature, key }))).toBe('bad-signature');
    }
  });

  it('requires a sessionID', () => {
    expect(verifyBalance({ query: '', signature: mac('{}'), key })).toMatchObject({
      reason: 'invalid',
      detail: expect.stringContaining('sessionID'),
    });
  });
});
