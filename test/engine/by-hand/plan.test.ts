import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { type ManualCall, nextAction, planByHand } from '../../../src/engine/by-hand/plan.ts';

const bet: ManualCall = {
  call: 'bet',
  fields: { sessionID: 's-1', txID: 'tx-1', roundID: 'r-1', amount: '1.00', type: 'regular' },
  amount: Money.of('1.00'),
  sign: 'valid',
  times: 1,
  namesBet: false,
  namesRound: false,
};

describe('planByHand', () => {
  it('repeats the same bytes the given number of times', () => {
    const { steps } = planByHand({ ...bet, times: 3 }, 'accepted');
    expect(steps).toMatchObject([
      { key: '1', call: 'bet', origin: { kind: 'fresh' }, txID: 'tx-1', roundID: 'r-1' },
      { key: '2', origin: { kind: 'resend', of: '1' } },
      { key: '3', origin: { kind: 'resend', of: '1' } },
    ]);
  });

  it.each([
    ['a bet that was declined may be declined', bet, 'declined', 'declined'],
    ['a bet that was refused must be accepted', bet, 'refused', 'accepted'],
    ['a bet that failed must be accepted', bet, 'failed', 'accepted'],
    ['a refund must never be declined', { ...bet, call: 'refund' }, 'declined', 'accepted'],
    ['a bet with a wrong signature must be refused', { ...bet, sign: 'garbage' }, 'accepted', 'refused'],
    [
      'a bet whose signature is in upper case may be accepted or refused',
      { ...bet, sign: 'upper-case' },
      'accepted',
      'either',
    ],
  ] as const)('a call that is sent by hand has the right expected outcome: %s', (_what, hand, answer, outcome) => {
    expect(planByHand(hand, answer).steps).toMatchObject([{ expect: { outcome } }]);
  });
});

describe('nextAction', () => {
  it.each([
    ['late', 'croupier call refund --orig-tx-id tx-1 --round r-1 --amount 1.00'],
    ['failed', 'croupier call refund'],
    ['declined', 'no refund'],
    ['refused', 'no refund'],
    ['lost', 'It is unknown'],
  ] as const)('after a bet with the answer "%s", the advice contains: %s', (answer, words) => {
    expect(nextAction(bet, answer)).toContain(words);
  });

  it('the advice after a win or refund that was not answered 200 is to repeat it', () => {
    for (const call of ['win', 'refund'] as const) {
      for (const answer of ['late', 'failed', 'declined', 'refused'] as const) {
        expect(nextAction({ ...bet, call }, answer)).toContain('again with the same txID (--tx-id tx-1)');
      }
    }
  });

  it('there is no advice after a settled call, a read, or a call that must be refused', () => {
    expect(nextAction(bet, 'accepted')).toBeNull();
    expect(nextAction({ ...bet, call: 'balance' }, 'failed')).toBeNull();
    expect(nextAction({ ...bet, sign: 'garbage' }, 'refused')).toBeNull();
  });
});
