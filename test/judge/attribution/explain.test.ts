import { describe, expect, it } from 'vitest';
import type { RuleId } from '../../../src/contract/catalogue.ts';
import { Money } from '../../../src/contract/money.ts';
import { explain, nearestDifference, wouldHaveShown } from '../../../src/judge/attribution/explain.ts';
import type { PendingCheck } from '../../../src/judge/pending-check.ts';
import { planOf } from '../judged-scenario.ts';

const money = (text: string): Money => (text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text));
const [first] = planOf('rules: [balance.read]\nsteps: [{ balance: }]').steps;
if (first?.kind !== 'call') throw new Error('no step');
const step = first;

function pending(rule: RuleId, hypotheses: readonly string[], more: Partial<PendingCheck> = {}): PendingCheck {
  const ways = hypotheses.map((by) => ({ by: money(by), meaning: `${rule} ${by}` }));
  return {
    rule,
    endpoint: null,
    step,
    exchange: 'x1',
    hypotheses: ways,
    rank: 0,
    until: 'read',
    expected: '',
    reported: false,
    ...more,
  };
}

const none = (): boolean => false;
const rules = (
  read: string,
  possible: readonly string[],
  pendingChecks: readonly PendingCheck[],
  proven = none as (rule: string) => boolean,
) =>
  explain(money(read), possible.map(money), pendingChecks, proven)?.breaches.map(
    ({ pendingCheck }) => pendingCheck.rule,
  );

describe('an explanation', () => {
  it('is the breach that predicts the exact balance', () => {
    expect(rules('7', ['10'], [pending('idempotency.bet', ['-2']), pending('refund.restore', ['-3'])])).toEqual([
      'refund.restore',
    ]);
    expect(
      rules('7.5', ['10'], [pending('idempotency.bet', ['-2']), pending('refund.restore', ['-3'])]),
    ).toBeUndefined();
  });

  it('has the fewest breaches', () => {
    const all = [
      pending('idempotency.bet', ['-1']),
      pending('idempotency.win', ['-2']),
      pending('refund.once', ['-3']),
    ];
    expect(rules('7', ['10'], all)).toEqual(['refund.once']);
    expect(rules('5', ['10'], all)).toEqual(['idempotency.win', 'refund.once']);
    expect(rules('4', ['10'], all)).toEqual(['idempotency.bet', 'idempotency.win', 'refund.once']);
  });

  it('does not use two hypotheses of one pending check', () => {
    expect(rules('6', ['10'], [pending('idempotency.bet', ['-1', '-3'])])).toBeUndefined();
  });

  it('prefers a rule that is proven elsewhere, and names the others as rivals', () => {
    const all = [pending('idempotency.bet', ['-3']), pending('refund.restore', ['-3'])];
    expect(rules('7', ['10'], all)).toEqual(['idempotency.bet']);
    expect(rules('7', ['10'], all, (rule) => rule === 'refund.restore')).toEqual(['refund.restore']);
    const reply = explain(money('7'), [money('10')], all, none);
    expect(reply?.rivals.map(({ pendingCheck }) => pendingCheck.rule)).toEqual(['refund.restore']);
  });

  it('prefers a rule that the scenario is about to a rule for every call', () => {
    expect(rules('7', ['10'], [pending('bet.debit', ['-3'], { rank: 1 }), pending('idempotency.bet', ['-3'])])).toEqual(
      ['idempotency.bet'],
    );
  });

  it('prefers a breach that was reported before to a new one', () => {
    expect(
      rules('7', ['10'], [pending('idempotency.bet', ['-3']), pending('refund.restore', ['-3'], { reported: true })]),
    ).toEqual(['refund.restore']);
  });

  it('may start from each possible balance', () => {
    expect(rules('4', ['10', '7'], [pending('refund.restore', ['-3'])])).toEqual(['refund.restore']);
  });

  it('is not searched for among too many combinations', () => {
    const many = Array.from({ length: 400 }, (_, index) => pending('idempotency.bet', [`-${index + 1}`]));
    expect(rules('0', ['100000'], many)).toBeUndefined();
  });
});

it('a breach is visible unless another right balance hides it', () => {
  expect(wouldHaveShown(pending('refund.restore', ['-3']), money('10'), [money('10')])).toBe(true);
  expect(wouldHaveShown(pending('refund.restore', ['-3']), money('10'), [money('10'), money('13')])).toBe(false);
});

it('the difference is measured from the nearest possible balance', () => {
  expect(nearestDifference(money('9'), [money('20'), money('10')]).toString()).toBe('-1');
});
