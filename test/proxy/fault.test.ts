import { describe, expect, it } from 'vitest';
import { describeDeed, Faults, readFault } from '../../src/proxy/fault.ts';

describe('readFault', () => {
  it.each([
    ['delay=6s,call=win,every=10', { deed: { kind: 'delay', what: 'reply', ms: 6000 }, call: 'win', every: 10 }],
    ['delay-request=300ms', { deed: { kind: 'delay', what: 'request', ms: 300 }, call: null, every: 1 }],
    ['drop=request,times=2', { deed: { kind: 'drop', what: 'request' }, most: 2 }],
    ['drop=reply', { deed: { kind: 'drop', what: 'reply' } }],
    ['repeat=3,call=bet', { deed: { kind: 'repeat', times: 3 }, call: 'bet' }],
  ])('reads %s', (text, fault) => {
    expect(readFault(text)).toMatchObject(fault);
  });

  it.each(['', 'delay', 'delay=6', 'drop=both', 'repeat=0', 'drop=reply,call=bett', 'drop=reply,every=0', 'call=bet'])(
    'refuses %j and says how it is written',
    (text) => {
      expect(() => readFault(text)).toThrow(/Write one of delay=DURATION/);
    },
  );
});

describe('Faults', () => {
  it('are done to every so many of their calls, and so often at most', () => {
    const faults = new Faults([readFault('drop=reply,call=bet,every=2,times=2')]);
    const done = ['bet', 'win', 'bet', 'bet', 'bet', 'bet', 'bet'].map((call) => faults.next(call as 'bet' | 'win'));
    expect(done.map((deed) => deed !== null)).toEqual([false, false, true, false, true, false, false]);
  });

  it('leave a call to the first that fits', () => {
    const faults = new Faults([readFault('repeat=2,times=1'), readFault('drop=request')]);
    expect([faults.next('bet')?.kind, faults.next('bet')?.kind]).toEqual(['repeat', 'drop']);
  });
});

it.each([
  ['delay=2s', 'held the reply back for 2000 ms'],
  ['drop=request', 'broke the connection; the operator never saw the call'],
  ['drop=reply', "broke the connection and kept the operator's reply"],
  ['repeat=1', 'sent the same bytes once more'],
])('describes %s', (text, words) => {
  expect(describeDeed(readFault(text).deed)).toBe(words);
});
