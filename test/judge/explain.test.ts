import { describe, expect, it } from 'vitest';
import type { RuleId } from '../../src/contract/catalogue.ts';
import { Money } from '../../src/contract/money.ts';
import { explain, nearestDifference, wouldHaveShown } from '../../src/judge/explain.ts';
import type { Obligation } from '../../src/judge/obligation.ts';
import { planOf } from './story-builder.ts';

const money = (text: string): Money => (text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text));
const [first] = planOf('rules: [balance.read]\nsteps: [{ balance: }]').steps;
if (first?.kind !== 'call') throw new Error('no step');
const step = first;

function owed(rule: RuleId, offsets: readonly string[], more: Partial<Obligation> = {}): Obligation {
  const ways = offsets.map((by) => ({ by: money(by), meaning: `${rule} ${by}` }));
  return {
    rule,
    endpoint: null,
    step,
    exchange: 'x1',
    offsets: ways,
    rank: 0,
    until: 'read',
    expected: '',
    reported: false,
    ...more,
  };
}

const nobody = (): boolean => false;
const rules = (
  read: string,
  possible: readonly string[],
  obligations: readonly Obligation[],
  proven = nobody as (rule: string) => boolean,
) => explain(money(read), possible.map(money), obligations, proven)?.breaches.map(({ obligation }) => obligation.rule);

describe('an explanation', () => {
  it('takes the breach that predicts exactly the number', () => {
    expect(rules('7', ['10'], [owed('idempotency.bet', ['-2']), owed('refund.restore', ['-3'])])).toEqual([
      'refund.restore',
    ]);
    expect(rules('7.5', ['10'], [owed('idempotency.bet', ['-2']), owed('refund.restore', ['-3'])])).toBeUndefined();
  });

  it('takes the fewest breaches', () => {
    const all = [owed('idempotency.bet', ['-1']), owed('idempotency.win', ['-2']), owed('refund.once', ['-3'])];
    expect(rules('7', ['10'], all)).toEqual(['refund.once']);
    expect(rules('5', ['10'], all)).toEqual(['idempotency.win', 'refund.once']);
    expect(rules('4', ['10'], all)).toEqual(['idempotency.bet', 'idempotency.win', 'refund.once']);
  });

  it('does not have one call break a rule in two ways at once', () => {
    expect(rules('6', ['10'], [owed('idempotency.bet', ['-1', '-3'])])).toBeUndefined();
  });

  it('takes what was proven elsewhere for the cheaper explanation', () => {
    const all = [owed('idempotency.bet', ['-3']), owed('refund.restore', ['-3'])];
    expect(rules('7', ['10'], all)).toEqual(['idempotency.bet']);
    expect(rules('7', ['10'], all, (rule) => rule === 'refund.restore')).toEqual(['refund.restore']);
    const told = explain(money('7'), [money('10')], all, nobody);
    expect(told?.rivals.map(({ obligation }) => obligation.rule)).toEqual(['refund.restore']);
  });

  it('takes what the story is about before what holds for every call', () => {
    expect(rules('7', ['10'], [owed('bet.debit', ['-3'], { rank: 1 }), owed('idempotency.bet', ['-3'])])).toEqual([
      'idempotency.bet',
    ]);
  });

  it('takes what was reported already before anything new', () => {
    expect(
      rules('7', ['10'], [owed('idempotency.bet', ['-3']), owed('refund.restore', ['-3'], { reported: true })]),
    ).toEqual(['refund.restore']);
  });

  it('starts from every world', () => {
    expect(rules('4', ['10', '7'], [owed('refund.restore', ['-3'])])).toEqual(['refund.restore']);
  });

  it('is given up before it takes for ever', () => {
    const many = Array.from({ length: 400 }, (_, index) => owed('idempotency.bet', [`-${index + 1}`]));
    expect(rules('0', ['100000'], many)).toBeUndefined();
  });
});

it('knows which breaches would have shown', () => {
  expect(wouldHaveShown(owed('refund.restore', ['-3']), money('10'), [money('10')])).toBe(true);
  expect(wouldHaveShown(owed('refund.restore', ['-3']), money('10'), [money('10'), money('13')])).toBe(false);
});

it('measures from the nearest world', () => {
  expect(nearestDifference(money('9'), [money('20'), money('10')]).toString()).toBe('-1');
});
