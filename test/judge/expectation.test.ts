import { describe, expect, it } from 'vitest';
import { EXPECTATION } from '../../src/journal/finding.ts';
import { changing, saying } from './lies.ts';
import { tell } from './story-builder.ts';
import { error, type Lie } from './toy-wallet.ts';

const unmet = (step: string, lie?: Lie): readonly string[] =>
  tell(`steps: [{ bet: , as: first }, { balance: }, ${step}, { balance: }]`, lie && { lie })
    .findings.filter(({ rule }) => rule === EXPECTATION)
    .map(({ expected }) => expected);

describe('what a scenario states', () => {
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

  it('is unmet when the reply took too long', () => {
    expect(unmet('{ bet: , expect: { within: 1s } }', changing('3', { tookMs: 1500 })).join()).toContain(
      'within 1000 ms',
    );
  });

  it('of how the balance moves is told by the read', () => {
    expect(unmet('{ bet: }, { balance: , expect: { moves: "-1.00" } }')).toEqual([]);
    expect(unmet('{ bet: }, { balance: , expect: { moves: "-2.00" } }').join()).toContain('moves by -2');
  });

  it('is not told a second time where a rule has said it', () => {
    expect(
      unmet(
        '{ bet: { session: unknown }, expect: { outcome: declined, status: 4xx } }',
        saying('3', error(500, 'Oops')),
      ),
    ).toEqual([]);
  });
});
