import { describe, expect, it } from 'vitest';
import { describeAction, Faults, readFault } from '../../../src/traffic/proxy/fault.ts';

describe('readFault', () => {
  it.each([
    ['delay=6s,call=win,every=10', { action: { kind: 'delay', what: 'reply', ms: 6000 }, call: 'win', every: 10 }],
    ['delay-request=300ms', { action: { kind: 'delay', what: 'request', ms: 300 }, call: null, every: 1 }],
    ['drop=request,times=2', { action: { kind: 'drop', what: 'request' }, max: 2 }],
    ['drop=reply', { action: { kind: 'drop', what: 'reply' } }],
    ['repeat=3,call=bet', { action: { kind: 'repeat', times: 3 }, call: 'bet' }],
  ])('reads %s', (text, fault) => {
    expect(readFault(text)).toMatchObject(fault);
  });

  it.each(['', 'delay', 'delay=6', 'drop=both', 'repeat=0', 'drop=reply,call=bett', 'drop=reply,every=0', 'call=bet'])(
    'refuses %j and says how it is written',
    (text) => {
      expect(() => readFault(text)).toThrow(/Write one action: delay=DURATION/);
    },
  );
});

describe('Faults', () => {
  it('are injected into every Nth matching call, up to the maximum', () => {
    const faults = new Faults([readFault('drop=reply,call=bet,every=2,times=2')]);
    const done = ['bet', 'win', 'bet', 'bet', 'bet', 'bet', 'bet'].map((call) => faults.next(call as 'bet' | 'win'));
    expect(done.map((action) => action !== null)).toEqual([false, false, true, false, true, false, false]);
  });

  it('are chosen by the first one that matches', () => {
    const faults = new Faults([readFault('repeat=2,times=1'), readFault('drop=request')]);
    expect([faults.next('bet')?.kind, faults.next('bet')?.kind]).toEqual(['repeat', 'drop']);
  });
});

it.each([
  ['delay=2s', 'delayed the reply by 2000 ms'],
  ['drop=request', 'broke the connection before the operator got the call'],
  ['drop=reply', "broke the connection and did not pass on the operator's reply"],
  ['repeat=1', 'sent the same bytes once more'],
])('describes %s', (text, words) => {
  expect(describeAction(readFault(text).action)).toBe(words);
});
