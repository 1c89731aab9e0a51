import { expect, it } from 'vitest';
import { concludeLoad, type LoadResult } from '../../src/journal/load/result.ts';
import { findHighestRate } from '../../src/load/highest-rate.ts';
import { RIGHT_LOAD } from './load-result.ts';

/** Plays a step against an operator whose times grow too long above a rate. */
function operatorUpTo(limit: number, own: (rate: number) => Partial<LoadResult> = () => ({})) {
  return async (rate: number): Promise<LoadResult> => {
    const limits = [{ limit: 'p99 < 1s', actual: rate, unit: ' ms', isHeld: rate <= limit }];
    const facts = { ...RIGHT_LOAD, limits, rate: { ...RIGHT_LOAD.rate, asked: rate, got: rate }, ...own(rate) };
    return { ...concludeLoad(facts), ...facts };
  };
}

it('the highest rate is found to a tenth, and its result is the result of the search', async () => {
  const { search, result } = await findHighestRate(operatorUpTo(130), 1000);
  expect(search.highest).toBeGreaterThan(130 / 1.1);
  expect(search.highest).toBeLessThanOrEqual(130);
  expect(search.limitedBy).toBe('operator');
  expect(search.steps.map(({ rate }) => rate).slice(0, 5)).toEqual([10, 20, 40, 80, 160]);
  expect([result.verdict, result.rate.asked]).toEqual(['RECONCILED', search.highest]);
});

it('a search ends at the rate for which there are players, and below the first rate if that is too high', async () => {
  const { search } = await findHighestRate(operatorUpTo(1000), 100);
  expect([search.highest, search.limitedBy]).toEqual([100, 'players']);
  const low = await findHighestRate(operatorUpTo(3), 100);
  expect(low.search.highest).toBeGreaterThan(2.7);
  expect(low.search.highest).toBeLessThanOrEqual(3);
  const none = await findHighestRate(operatorUpTo(0), 100);
  expect([none.search.highest, none.result.verdict]).toEqual([null, 'NOT RECONCILED']);
});

it('a fault ends the search with its own result, and croupier that is too slow ends it without one', async () => {
  const owed = [{ player: 'anna', call: 'win' as const, txID: 't', amount: '1' }];
  const fault = (rate: number) => (rate > 30 ? { money: { ...RIGHT_LOAD.money, owed } } : {});
  const { search, result } = await findHighestRate(operatorUpTo(1000, fault), 1000);
  expect([search.highest, search.limitedBy, result.verdict]).toEqual([20, 'fault', 'UNDECIDED']);
  const slow = (rate: number) =>
    rate > 30 ? { croupierItself: { ...RIGHT_LOAD.croupierItself, isBottleneck: true } } : {};
  const own = await findHighestRate(operatorUpTo(1000, slow), 1000);
  expect([own.search.highest, own.search.limitedBy, own.result.verdict]).toEqual([20, 'croupier', 'RECONCILED']);
});

it('a step in which croupier was too slow is repeated once', async () => {
  let steps = 0;
  const slowOnce = () => {
    steps += 1;
    return steps === 2 ? { croupierItself: { ...RIGHT_LOAD.croupierItself, isBottleneck: true } } : {};
  };
  const { search } = await findHighestRate(operatorUpTo(1000, slowOnce), 40);
  expect(search.steps.map(({ rate, isHeld }) => [rate, isHeld])).toEqual([
    [10, true],
    [20, false],
    [20, true],
    [40, true],
  ]);
  expect([search.highest, search.limitedBy]).toEqual([40, 'players']);
});
