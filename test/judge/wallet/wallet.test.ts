import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { Wallet } from '../../../src/judge/wallet/wallet.ts';
import type { CallStep } from '../../../src/scenario/plan/plan.ts';
import { planOf } from '../judged-scenario.ts';

const money = (text: string): Money => (text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text));

function wallet(balance = '10'): Wallet {
  const one = new Wallet('p1', Money.of('0.01'));
  one.anchor(money(balance));
  return one;
}

const worlds = (one: Wallet): string[] => one.possible().map(String).sort();

describe('a wallet', () => {
  it('has the pending checks of the step that was judged last at the end of its list', () => {
    const steps = planOf('rules: [bet.debit]\nsteps: [{ bet: }, { win: }]').steps.filter(
      (step): step is CallStep => step.kind === 'call',
    );
    const one = wallet();
    for (const step of steps)
      for (const rule of ['bet.debit', 'money.exact'] as const)
        one.expectLater({
          rule,
          endpoint: null,
          step,
          exchange: 'x1',
          hypotheses: [],
          rank: 0,
          until: 'read',
          expected: '',
          reported: false,
        });
    const checksOf = (step: CallStep | undefined) => one.latestChecksOf(step?.key ?? '').map(({ rule }) => rule);
    expect(checksOf(steps[1])).toEqual(['bet.debit', 'money.exact']);
    expect(checksOf(steps[0])).toEqual([]);
  });

  it('knows no balance before the first read', () => {
    const one = new Wallet('p1', Money.of('0.01'));
    one.move('1', money('-1'));
    expect([one.known, one.possible(), one.certain()]).toEqual([false, [], undefined]);
  });

  it('adds a certain effect to every possible balance', () => {
    const one = wallet();
    one.branch({ txID: 'a', delta: money('-3'), kind: 'lost' });
    one.move('2', money('-1'));
    expect(worlds(one)).toEqual(['6', '9']);
    expect(one.certain()).toBeUndefined();
    expect([one.allows(money('6')), one.allows(money('7'))]).toEqual([true, false]);
  });

  it('keeps a lost bet open while reads do not show it, and closes it when one does', () => {
    const unseen = wallet();
    unseen.branch({ txID: 'a', delta: money('-3'), kind: 'lost' });
    expect(unseen.collapse(money('10'))).toEqual({ happened: [], never: [] });
    expect(worlds(unseen)).toEqual(['10', '7']);
    expect(unseen.collapse(money('7')).happened.map(({ txID }) => txID)).toEqual(['a']);
    expect(worlds(unseen)).toEqual(['7']);
  });

  it('drops an effect that the contract leaves to the operator when a read does not show it', () => {
    const one = wallet();
    one.branch({ txID: 'a', delta: money('5'), kind: 'either' });
    expect(one.collapse(money('10')).never.map(({ txID }) => txID)).toEqual(['a']);
    expect(worlds(one)).toEqual(['10']);
  });

  it('does not guess which of two equal open effects happened', () => {
    const one = wallet();
    one.branch({ txID: 'a', delta: money('-3'), kind: 'lost' });
    one.branch({ txID: 'b', delta: money('-3'), kind: 'lost' });
    expect(one.collapse(money('7'))).toEqual({ happened: [], never: [] });
    expect(worlds(one)).toEqual(['10', '4', '7']);
  });

  it('confirms a change by the reply to a later call, and not by the reply to its own call', () => {
    const one = wallet();
    const states = () => one.moves.map(({ step, vouched, confirmed }) => [step, vouched, confirmed]);
    one.move('1', money('-1'));
    one.vouch('1');
    one.move('2', money('-1'));
    expect(states()).toEqual([
      ['1', true, false],
      ['2', false, false],
    ]);
    one.vouch('2');
    one.move('3', money('-1'));
    one.move('2', money('-1'));
    one.vouch('2');
    expect(states()).toEqual([
      ['1', true, true],
      ['2', true, false],
      ['3', true, true],
      ['2', true, false],
    ]);
    one.anchor(money('6'));
    one.move('4', money('-1'));
    one.vouch('5');
    expect(states()).toEqual([['4', true, true]]);
  });

  it('recognises open effects by their sum', () => {
    const one = wallet();
    for (const [txID, delta] of [
      ['a', '-1'],
      ['b', '-2'],
      ['c', '-4'],
    ] as const)
      one.branch({ txID, delta: money(delta), kind: 'lost' });
    expect(one.collapse(money('5')).happened.map(({ txID }) => txID)).toEqual(['a', 'c']);
  });

  it('closes an open effect as happened or as never happened', () => {
    const one = wallet();
    one.branch({ txID: 'a', delta: money('5'), kind: 'unanswered' });
    one.settle('3', 'a', true);
    expect(worlds(one)).toEqual(['15']);
    one.branch({ txID: 'b', delta: money('-5'), kind: 'lost' });
    one.settle('4', 'b', false);
    expect(worlds(one)).toEqual(['15']);
  });

  it('allows any balance while the contract leaves it open, until the next read', () => {
    const one = wallet();
    one.setUnknown('3');
    expect([one.allows(money('77')), one.certain()]).toEqual([true, undefined]);
    one.collapse(money('77'));
    expect([one.certain()?.toString(), one.allows(money('10'))]).toEqual(['77', false]);
  });

  it('limits the number of worlds, and allows any balance beyond the limit', () => {
    const one = wallet('100');
    for (let index = 0; index < 30; index += 1)
      one.branch({ txID: String(index), delta: money(`-${2 ** index}`), kind: 'lost' });
    expect(one.possible().length).toBeLessThanOrEqual(1024);
    expect(one.allows(money('3'))).toBe(true);
  });
});

it('takes a read as right, keeps a lost bet open, and drops what the contract leaves to the operator', () => {
  const one = wallet();
  one.branch({ txID: 'late', delta: money('-3'), kind: 'lost' });
  one.branch({ txID: 'open', delta: money('-1'), kind: 'either' });
  one.anchor(money('8'));
  expect(worlds(one)).toEqual(['5', '8']);
});

describe('the balance of a reply', () => {
  it('is right if it fits', () => {
    const one = wallet();
    one.move('1', money('-1'));
    expect([one.hear(money('9'), true), one.hear(money('8'), true), one.readsLag]).toEqual([true, false, false]);
  });

  it('vouches for its own call, and confirms the calls before it', () => {
    const one = wallet();
    one.move('1', money('-1'));
    one.move('2', money('-2'));
    one.vouch('2');
    expect(one.moves.map(({ vouched, confirmed }) => [vouched, confirmed])).toEqual([
      [true, true],
      [true, false],
    ]);
  });

  it('is taken as right if it follows from the reply before and not from the read between them', () => {
    const one = wallet();
    one.move('1', money('-1'));
    one.hear(money('9'), true);
    one.anchor(money('10'));
    one.move('2', money('-2'));
    expect([one.hear(money('7'), true), one.readsLag, one.certain()?.toString()]).toEqual([true, true, '7']);
  });

  it('is not taken as right if it may be a stored reply, or if no read came between', () => {
    const stored = wallet();
    stored.hear(money('10'), true);
    stored.anchor(money('8'));
    expect([stored.hear(money('10'), false), stored.readsLag]).toEqual([false, false]);
    const unread = wallet();
    unread.hear(money('8'), true);
    expect([unread.hear(money('8'), true), unread.readsLag]).toEqual([false, false]);
  });
});
