import { describe, expect, it } from 'vitest';
import { type HandCall, planByHand, whatFollows } from '../../src/engine/by-hand-plan.ts';

const bet: HandCall = {
  call: 'bet',
  fields: { sessionID: 's-1', txID: 'tx-1', roundID: 'r-1', amount: '1.00', type: 'regular' },
  sign: 'valid',
  times: 1,
  namesBet: false,
  namesRound: false,
};

describe('planByHand', () => {
  it('sends the same again as often as it is asked to', () => {
    const { steps } = planByHand({ ...bet, times: 3 }, 'accepted');
    expect(steps).toMatchObject([
      { key: '1', call: 'bet', origin: { kind: 'fresh' }, txID: 'tx-1', roundID: 'r-1' },
      { key: '2', origin: { kind: 'resend', of: '1' } },
      { key: '3', origin: { kind: 'resend', of: '1' } },
    ]);
  });

  it.each([
    ['a bet that is declined may be', bet, 'declined', 'declined'],
    ['a bet that is refused may not be', bet, 'refused', 'accepted'],
    ['a bet that fails may not', bet, 'failed', 'accepted'],
    ['a refund may never be declined', { ...bet, call: 'refund' }, 'declined', 'accepted'],
    ['what is signed wrongly has to be refused', { ...bet, sign: 'garbage' }, 'accepted', 'refused'],
    ["upper case is the operator's choice", { ...bet, sign: 'upper-case' }, 'accepted', 'either'],
  ] as const)('%s', (_what, hand, answer, outcome) => {
    expect(planByHand(hand, answer).steps).toMatchObject([{ expect: { outcome } }]);
  });
});

describe('whatFollows', () => {
  it.each([
    ['late', 'croupier call refund --orig-tx-id tx-1 --round r-1 --amount 1.00'],
    ['failed', 'croupier call refund'],
    ['declined', 'no refund'],
    ['refused', 'no refund'],
    ['lost', 'It is not known'],
  ] as const)('says of a bet that is %s: %s', (answer, words) => {
    expect(whatFollows(bet, answer)).toContain(words);
  });

  it('is a repetition for wins and refunds that are not answered 200', () => {
    for (const call of ['win', 'refund'] as const) {
      for (const answer of ['late', 'failed', 'declined', 'refused'] as const) {
        expect(whatFollows({ ...bet, call }, answer)).toContain('again with the same txID (--tx-id tx-1)');
      }
    }
  });

  it('is nothing where the call is settled, reads, or was not to be accepted', () => {
    expect(whatFollows(bet, 'accepted')).toBeNull();
    expect(whatFollows({ ...bet, call: 'balance' }, 'failed')).toBeNull();
    expect(whatFollows({ ...bet, sign: 'garbage' }, 'refused')).toBeNull();
  });
});
