import { describe, expect, it } from 'vitest';
import { EXPECTATION } from '../../../src/journal/finding.ts';
import { answering, changing } from '../faults.ts';
import { judgeScenario } from '../judged-scenario.ts';
import { error, type Fault } from '../toy-wallet.ts';

const unmet = (step: string, fault?: Fault): readonly string[] =>
  judgeScenario(`steps: [{ bet: , as: first }, { balance: }, ${step}, { balance: }]`, fault && { fault })
    .findings.filter(({ rule }) => rule === EXPECTATION)
    .map(({ expected }) => expected);

describe('an expectation of a scenario', () => {
  it.each([
    ['{ bet: , expect: accepted }', undefined],
    ['{ bet: { amount: "500.00" }, expect: { outcome: declined, status: 402 } }', undefined],
    ['{ bet: { amount: "500.00" }, expect: { status: 4xx, code: insufficient_funds } }', undefined],
    ['{ resend: first, expect: { reply: same } }', undefined],
    ['{ bet: , expect: { within: 1s } }', undefined],
    ['{ bet: , expect: { body: { balance: "98.00" } } }', undefined],
  ])('is met: %s', (step) => {
    expect(unmet(step)).toEqual([]);
  });

  it.each([
    ['{ bet: , expect: declined }', /declined/],
    ['{ bet: { amount: "500.00" }, expect: { outcome: declined, status: 403 } }', /status 403/],
    ['{ bet: { amount: "500.00" }, expect: { outcome: declined, code: bet_limit } }', /code "bet_limit"/],
    ['{ bet: , expect: { body: { balance: "97.00" } } }', /`balance` is "97.00"/],
    ['{ bet: , expect: { body: { wallet.id: "1" } } }', /`wallet.id` is "1"/],
  ])('is unmet: %s', (step, expected) => {
    expect(unmet(step).join()).toMatch(expected);
  });

  it('is unmet if the reply took too long', () => {
    expect(unmet('{ bet: , expect: { within: 1s } }', changing('3', { tookMs: 1500 })).join()).toContain(
      'within 1000 ms',
    );
  });

  it('about how the balance moves is judged by the next read', () => {
    expect(unmet('{ bet: }, { balance: , expect: { moves: "-1.00" } }')).toEqual([]);
    expect(unmet('{ bet: }, { balance: , expect: { moves: "-2.00" } }').join()).toContain('moves by -2');
  });

  it('is not reported again if a rule has reported the same fault', () => {
    expect(
      unmet(
        '{ bet: { session: unknown }, expect: { outcome: declined, status: 4xx } }',
        answering('3', error(500, 'Oops')),
      ),
    ).toEqual([]);
  });
});
