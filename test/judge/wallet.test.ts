import { describe, expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { Wallet } from '../../src/judge/wallet.ts';

const money = (text: string): Money => (text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text));

function wallet(balance = '10'): Wallet {
  const one = new Wallet('p1', Money.of('0.01'));
  one.anchor(money(balance));
  return one;
}

const worlds = (one: Wallet): string[] => one.possible().map(String).sort();

describe('a wallet', () => {
  it('knows nothing before the first read', () => {
    const one = new Wallet('p1', Money.of('0.01'));
    one.move('1', money('-1'));
    expect([one.known, one.possible(), one.certain()]).toEqual([false, [], undefined]);
  });

  it('moves every world by what is sure', () => {
    const one = wallet();
    one.fork({ txID: 'a', delta: money('-3'), kind: 'lost' });
    one.move('2', money('-1'));
    expect(worlds(one)).toEqual(['6', '9']);
    expect(one.certain()).toBeUndefined();
    expect([one.allows(money('6')), one.allows(money('7'))]).toEqual([true, false]);
  });

  it('keeps a lost bet possible when it was not seen, and knows it when it was', () => {
    const unseen = wallet();
    unseen.fork({ txID: 'a', delta: money('-3'), kind: 'lost' });
    expect(unseen.collapse(money('10'))).toEqual({ happened: [], never: [] });
    expect(worlds(unseen)).toEqual(['10', '7']);
    expect(unseen.collapse(money('7')).happened.map(({ txID }) => txID)).toEqual(['a']);
    expect(worlds(unseen)).toEqual(['7']);
  });

  it('forgets an open effect that was not seen', () => {
    const one = wallet();
    one.fork({ txID: 'a', delta: money('5'), kind: 'either' });
    expect(one.collapse(money('10')).never.map(({ txID }) => txID)).toEqual(['a']);
    expect(worlds(one)).toEqual(['10']);
  });

  it('does not guess which of two equal forks it was', () => {
    const one = wallet();
    one.fork({ txID: 'a', delta: money('-3'), kind: 'lost' });
    one.fork({ txID: 'b', delta: money('-3'), kind: 'lost' });
    expect(one.collapse(money('7'))).toEqual({ happened: [], never: [] });
    expect(worlds(one)).toEqual(['10', '4', '7']);
  });

  it('tells forks apart by their sums', () => {
    const one = wallet();
    for (const [txID, delta] of [
      ['a', '-1'],
      ['b', '-2'],
      ['c', '-4'],
    ] as const)
      one.fork({ txID, delta: money(delta), kind: 'lost' });
    expect(one.collapse(money('5')).happened.map(({ txID }) => txID)).toEqual(['a', 'c']);
  });

  it('settles a fork one way or the other', () => {
    const one = wallet();
    one.fork({ txID: 'a', delta: money('5'), kind: 'unanswered' });
    one.settle('3', 'a', true);
    expect(worlds(one)).toEqual(['15']);
    one.fork({ txID: 'b', delta: money('-5'), kind: 'lost' });
    one.settle('4', 'b', false);
    expect(worlds(one)).toEqual(['15']);
  });

  it('allows anything while the contract leaves it open, until it is read', () => {
    const one = wallet();
    one.leaveOpen('3');
    expect([one.allows(money('77')), one.certain()]).toEqual([true, undefined]);
    one.collapse(money('77'));
    expect([one.certain()?.toString(), one.allows(money('10'))]).toEqual(['77', false]);
  });

  it('does not reckon more worlds than it can', () => {
    const one = wallet('100');
    for (let fork = 0; fork < 30; fork += 1)
      one.fork({ txID: String(fork), delta: money(`-${2 ** fork}`), kind: 'lost' });
    expect(one.possible().length).toBeLessThanOrEqual(1024);
    expect(one.allows(money('3'))).toBe(true);
  });
});

it('takes what was read for the truth: what may land late still may, what was open is settled', () => {
  const one = wallet();
  one.fork({ txID: 'late', delta: money('-3'), kind: 'lost' });
  one.fork({ txID: 'open', delta: money('-1'), kind: 'either' });
  one.anchor(money('8'));
  expect(worlds(one)).toEqual(['5', '8']);
});

describe('what replies tell', () => {
  it('is right where it fits', () => {
    const one = wallet();
    one.move('1', money('-1'));
    expect([one.hear(money('9'), true), one.hear(money('8'), true), one.readsLag]).toEqual([true, false, false]);
  });

  it('speaks for the calls before, and for its own', () => {
    const one = wallet();
    one.move('1', money('-1'));
    one.move('2', money('-2'));
    one.vouch('2');
    expect(one.moves.map(({ vouched, confirmed }) => [vouched, confirmed])).toEqual([
      [true, true],
      [true, false],
    ]);
  });

  it('is trusted where it goes on from the reply before and not from the read between', () => {
    const one = wallet();
    one.move('1', money('-1'));
    one.hear(money('9'), true);
    one.anchor(money('10'));
    one.move('2', money('-2'));
    expect([one.hear(money('7'), true), one.readsLag, one.certain()?.toString()]).toEqual([true, true, '7']);
  });

  it('is not trusted where it may be an old reply, or no read came between', () => {
    const stored = wallet();
    stored.hear(money('10'), true);
    stored.anchor(money('8'));
    expect([stored.hear(money('10'), false), stored.readsLag]).toEqual([false, false]);
    const unread = wallet();
    unread.hear(money('8'), true);
    expect([unread.hear(money('8'), true), unread.readsLag]).toEqual([false, false]);
  });
});
