import { describe, expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { JOURNAL_WORLDS, JUDGE_WORLDS } from '../../src/ledger/policies.ts';
import { type OpenEffect, Worlds } from '../../src/ledger/worlds.ts';
import * as fc from '../properties.ts';

const money = (amount: number): Money => (amount < 0 ? Money.of(String(-amount)).negated() : Money.of(String(amount)));
const effect = (txID: string, delta: number, kind: OpenEffect['kind'] = 'lost'): OpenEffect => ({
  txID,
  delta: money(delta),
  kind,
});
const judged = (...effects: OpenEffect[]): Worlds => worldsOf(new Worlds(JUDGE_WORLDS, money(100)), effects);
const estimated = (...effects: OpenEffect[]): Worlds => worldsOf(new Worlds(JOURNAL_WORLDS, money(100)), effects);
const balances = (worlds: Worlds): number[] => worlds.possible().map(Number);
const txIDs = (effects: readonly OpenEffect[]): string[] => effects.map(({ txID }) => txID);

function worldsOf(worlds: Worlds, effects: readonly OpenEffect[]): Worlds {
  for (const one of effects) worlds.add(one);
  return worlds;
}

describe('a set of worlds', () => {
  it('knows no balance before the first read, and the balance of that read after it', () => {
    const worlds = new Worlds(JUDGE_WORLDS);
    worlds.move(money(-5));
    expect([worlds.base, worlds.possible(), worlds.certain(), worlds.fits(money(0))]).toEqual([
      undefined,
      [],
      undefined,
      false,
    ]);
    worlds.read(money(7));
    expect(worlds.certain()?.toString()).toBe('7');
  });

  it('lists every sum of open effects once, the balance without any of them first', () => {
    expect(balances(judged(effect('a', -3), effect('b', -3), effect('c', 5, 'unanswered')))).toEqual([
      100, 97, 94, 105, 102, 99,
    ]);
  });

  it('has as possible balances exactly the sums of the subsets of its open effects', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 8 }), (deltas) => {
        const worlds = estimated(...deltas.map((delta, index) => effect(String(index), delta)));
        let sums = [100];
        for (const delta of deltas) sums = [...new Set([...sums, ...sums.map((sum) => sum + delta)])];
        expect(new Set(balances(worlds))).toEqual(new Set(sums));
        for (let value = 80; value <= 120; value += 1) expect(worlds.fits(money(value))).toBe(sums.includes(value));
      }),
    );
  });

  it('adds a settled effect to every balance if it happened, and to none if it never will', () => {
    const worlds = judged(effect('bet', -3), effect('win', 5, 'unanswered'));
    expect(worlds.settle('bet', true)?.txID).toBe('bet');
    expect(worlds.settle('win', false)?.txID).toBe('win');
    expect(balances(worlds)).toEqual([97]);
    expect(worlds.settle('bet', true)).toBeUndefined();
    expect(balances(worlds)).toEqual([97]);
  });

  it('undoes only an effect that the contract leaves to the operator, and settles only the others', () => {
    const worlds = judged(effect('free', -1, 'either'), effect('bet', -3));
    expect([worlds.settle('free', true), worlds.undo('bet')]).toEqual([undefined, undefined]);
    expect(worlds.undo('free')?.txID).toBe('free');
    expect(balances(worlds)).toEqual([100, 97]);
  });

  it('lets the next read decide about a call that will not be sent again', () => {
    const worlds = estimated(effect('bet', -3));
    worlds.read(money(97));
    expect(balances(worlds)).toEqual([100, 97]);
    worlds.leaveToRead('bet');
    worlds.read(money(97));
    expect(balances(worlds)).toEqual([97]);
  });

  it('allows any balance after a call whose effect is undecided, until the next read', () => {
    const worlds = judged(effect('free', -1, 'either'), effect('bet', -3));
    worlds.setUnknown('step 4');
    expect([worlds.fits(money(1)), worlds.certain(), worlds.unknownSince]).toEqual([true, undefined, 'step 4']);
    expect(txIDs(worlds.read(money(50)).never)).toEqual(['free']);
    expect([worlds.unknownSince, balances(worlds)]).toEqual([null, [50, 47]]);
  });

  it('takes a read that fits no world as right, and keeps what may still happen later', () => {
    for (const worlds of [judged(effect('bet', -3)), estimated(effect('bet', -3))]) {
      worlds.add(effect('free', -1, 'either'));
      worlds.read(money(60));
      expect(balances(worlds)).toEqual([60, 57]);
    }
  });
});

describe('a read under the policy of the judge', () => {
  it('closes an effect that every explanation contains', () => {
    const worlds = judged(effect('a', -1), effect('b', -2, 'unanswered'), effect('c', -4));
    expect(txIDs(worlds.read(money(95)).happened)).toEqual(['a', 'c']);
    expect(balances(worlds)).toEqual([95, 93]);
  });

  it('proves nothing about a lost bet that it does not show', () => {
    const worlds = judged(effect('bet', -3));
    expect(worlds.read(money(100))).toEqual({ happened: [], never: [] });
    expect(balances(worlds)).toEqual([100, 97]);
  });

  it('closes what was left to the operator and is not visible', () => {
    const worlds = judged(effect('free', -3, 'either'));
    expect(txIDs(worlds.read(money(100)).never)).toEqual(['free']);
    expect(balances(worlds)).toEqual([100]);
  });

  it('does not guess which of two equal effects happened', () => {
    const worlds = judged(effect('a', -3), effect('b', -3));
    expect(worlds.read(money(97))).toEqual({ happened: [], never: [] });
    expect(balances(worlds)).toEqual([100, 97, 94]);
  });

  it('is right whatever it shows if there are more open effects than combinations can be tried', () => {
    const worlds = judged(...Array.from({ length: 11 }, (_, bit) => effect(`bet ${bit}`, -(2 ** bit))));
    expect([worlds.effects.length, worlds.unknownSince]).toEqual([10, 'bet 10']);
    expect([worlds.fits(money(12345)), worlds.certain()]).toEqual([true, undefined]);
    expect(worlds.possible()).toHaveLength(1024);
  });

  it('does not show which bets it includes if there were too many, until each of them is refunded', () => {
    const bets = Array.from({ length: 12 }, (_, index) => effect(`bet ${index}`, -1));
    const worlds = judged(...bets);
    // Two of the bets were taken, but nobody knows which. So the refund of any bet may raise the balance.
    worlds.read(money(98));
    for (const { txID } of bets.slice(0, 11)) worlds.settle(txID, false);
    expect([worlds.isOpen('bet 10'), worlds.isOpen('bet 11'), worlds.fits(money(99))]).toEqual([false, true, true]);
    worlds.settle('bet 11', false);
    expect([worlds.isOpen('bet 11'), worlds.fits(money(100))]).toEqual([false, true]);
    worlds.read(money(100));
    expect([worlds.unknownSince, balances(worlds)]).toEqual([null, [100]]);
  });
});

describe('a read under the policy of a journal', () => {
  it('closes no open call, also if the balance shows it', () => {
    const worlds = estimated(effect('bet', -3), effect('free', -1, 'either'));
    worlds.read(money(96));
    expect(balances(worlds)).toEqual([99, 96]);
    worlds.settle('bet', false);
    expect(balances(worlds)).toEqual([99]);
  });

  it('takes a new effect, and not a call that the read before did not include, as the reason of a changed balance', () => {
    const worlds = estimated(effect('win', 1, 'unanswered'));
    worlds.read(money(100));
    worlds.add(effect('refund', 1, 'either'));
    worlds.read(money(101));
    expect(balances(worlds)).toEqual([101, 102]);
    worlds.settle('win', true);
    expect(worlds.certain()?.toString()).toBe('102');
  });

  it('takes a call that the read before included as still included', () => {
    const worlds = estimated(effect('win', 1, 'unanswered'));
    worlds.read(money(101));
    worlds.add(effect('refund', 1, 'either'));
    worlds.read(money(101));
    expect(balances(worlds)).toEqual([100, 101]);
    worlds.settle('win', true);
    expect(worlds.certain()?.toString()).toBe('101');
  });

  it('keeps apart any number of calls with few different sums', () => {
    const worlds = estimated(...Array.from({ length: 500 }, (_, index) => effect(String(index), -1)));
    expect(worlds.possible()).toHaveLength(501);
  });

  it('lists no balance if there are too many, and lists them again when enough calls are answered', () => {
    const worlds = estimated(...Array.from({ length: 13 }, (_, bit) => effect(`bet ${bit}`, -(2 ** bit))));
    expect([worlds.possible(), worlds.certain(), worlds.fits(money(100))]).toEqual([[], undefined, false]);
    worlds.settle('bet 12', false);
    expect(worlds.possible()).toHaveLength(4096);
  });
});
