import { describe, expect, it } from 'vitest';
import { isPlain, isTakenBet, type PlannedCall, PlannedCalls } from '../../src/judge/planned-calls.ts';
import { planOf } from './judged-scenario.ts';

const calls = (yaml: string): readonly PlannedCall[] =>
  new PlannedCalls(planOf(`rules: [balance.read]\n${yaml}`)).calls;

function last(yaml: string): PlannedCall {
  const planned = calls(yaml).at(-1);
  if (!planned) throw new Error('no step');
  return planned;
}

describe('a planned call', () => {
  it.each([
    ['steps: [{ balance: }]', true],
    ['steps: [{ bet: }]', true],
    ['steps: [{ bet: }, { win: }]', true],
    ['steps: [{ bet: }, { refund: }]', true],
    ['steps: [{ bet: , as: a }, { bet: { round: a } }]', false],
    ['steps: [{ bet: }, { win: }, { win: }]', false],
    ['steps: [{ bet: }, { win: }, { refund: }]', false],
    ['steps: [{ bet: }, { refund: { round: none } }]', false],
    ['steps: [{ win: { round: new } }]', false],
    ['steps: [{ bet: { type: free } }]', false],
    ['steps: [{ bet: , break: sent }]', false],
    ['steps: [{ bet: , sign: garbage, expect: refused }]', false],
    ['steps: [{ bet: , header-case: lower, expect: accepted }]', false],
    ['steps: [{ bet: , expect: either }]', false],
    ['steps: [{ bet: { session: unknown }, expect: declined }]', false],
    ['steps: [{ together: [{ bet: }, { bet: }] }]', false],
    ['steps: [{ bet: , as: a }, { resend: a }]', false],
  ])('of %s is an ordinary call: %s', (yaml, plain) => {
    expect(isPlain(last(yaml))).toBe(plain);
  });

  it('refers to the first call, for a resend of a resend', () => {
    expect(last('steps: [{ bet: , as: a }, { resend: a, as: b }, { resend: b }]').source?.step.key).toBe('1');
  });

  it('refers to the bet that a refund names, also if the bet comes later', () => {
    const [refund] = calls('steps: [{ refund: { of: b } }, { bet: , as: b, expect: either }]');
    expect([refund?.target?.step.key, refund?.targetIsLater]).toEqual(['2', true]);
    expect(last('steps: [{ bet: }, { refund: }]')).toMatchObject({
      targetIsLater: false,
      target: { step: { key: '1' } },
    });
  });

  it('counts the earlier bets, wins and refunds of its round', () => {
    expect(last('steps: [{ bet: , as: a }, { bet: { round: a } }, { bet: { round: a } }]')).toMatchObject({
      betsBefore: 2,
      winsBefore: 0,
    });
    expect(
      last('steps: [{ bet: , as: a }, { refund: { of: a } }, { refund: { of: a }, expect: either }]').refundsBefore,
    ).toBe(1);
    expect(last('steps: [{ bet: , as: a }, { refund: { of: a } }, { win: , expect: either }]').roundRefunded).toBe(
      true,
    );
    expect(last('steps: [{ bet: , as: a }, { win: }, { refund: { of: a }, expect: either }]').roundSettled).toBe(true);
  });

  it('refers to an earlier call with the same txID', () => {
    expect(
      last('steps: [{ bet: , as: a }, { bet: { txID: "${a.txID}", amount: "3.00" }, expect: either }]').sameTxID?.step
        .key,
    ).toBe('1');
  });

  it('has the right signature if the resend sets it, and else the signature of the first call', () => {
    const plannedCalls = calls(
      'steps: [{ bet: , as: a, sign: garbage, expect: refused }, { resend: a, expect: refused }, { resend: a, sign: valid }]',
    );
    expect(plannedCalls.map(({ signedRight }) => signedRight)).toEqual([false, false, true]);
  });

  it('for a repetition is like the first one', () => {
    const plan = planOf('rules: [balance.read]\nsteps: [{ bet: , times: 3 }]');
    const [repeat] = plan.steps;
    if (repeat?.kind !== 'repeat') throw new Error('no repeat');
    const planned = new PlannedCalls(plan).planned(repeat.instance(2));
    expect([planned.step.key, isTakenBet(planned)]).toEqual(['1x3', true]);
  });
});
