import { describe, expect, it } from 'vitest';
import { isPlain, isTakenBet, type Part, Story } from '../../src/judge/story.ts';
import { planOf } from './story-builder.ts';

const parts = (yaml: string): readonly Part[] => new Story(planOf(`rules: [balance.read]\n${yaml}`)).parts;

function last(yaml: string): Part {
  const part = parts(yaml).at(-1);
  if (!part) throw new Error('no step');
  return part;
}

describe('a part of a story', () => {
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
  ])('%s is plain: %s', (yaml, plain) => {
    expect(isPlain(last(yaml))).toBe(plain);
  });

  it('knows the first of what is sent again', () => {
    expect(last('steps: [{ bet: , as: a }, { resend: a, as: b }, { resend: b }]').source?.step.key).toBe('1');
  });

  it('knows what a refund names, also when it comes later', () => {
    const [refund] = parts('steps: [{ refund: { of: b } }, { bet: , as: b, expect: either }]');
    expect([refund?.target?.step.key, refund?.targetIsLater]).toEqual(['2', true]);
    expect(last('steps: [{ bet: }, { refund: }]')).toMatchObject({
      targetIsLater: false,
      target: { step: { key: '1' } },
    });
  });

  it('counts what came before it', () => {
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

  it('knows an earlier call of the same txID', () => {
    expect(
      last('steps: [{ bet: , as: a }, { bet: { txID: "${a.txID}", amount: "3.00" }, expect: either }]').namesake?.step
        .key,
    ).toBe('1');
  });

  it('is signed right when the resend says so', () => {
    const story = parts(
      'steps: [{ bet: , as: a, sign: garbage, expect: refused }, { resend: a, expect: refused }, { resend: a, sign: valid }]',
    );
    expect(story.map(({ signedRight }) => signedRight)).toEqual([false, false, true]);
  });

  it('of many that are alike is like the first', () => {
    const plan = planOf('rules: [balance.read]\nsteps: [{ bet: , times: 3 }]');
    const [repeat] = plan.steps;
    if (repeat?.kind !== 'repeat') throw new Error('no repeat');
    const part = new Story(plan).part(repeat.instance(2));
    expect([part.step.key, isTakenBet(part)]).toEqual(['1x3', true]);
  });
});
