import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { WindowAmounts } from '../../src/load/amounts.ts';

const EURO = { stake: Money.of('1'), unit: Money.of('0.01'), decimals: 2 };

function windowOf(amounts: WindowAmounts): readonly Money[] {
  amounts.begin();
  return Array.from({ length: 20 }, () => amounts.above(EURO.stake));
}

it('no two transactions have the same amount in a window, nor in two windows that follow each other', () => {
  const amounts = new WindowAmounts(EURO, 7);
  let before = windowOf(amounts);
  for (let count = 0; count < 4; count += 1) {
    const window = windowOf(amounts);
    expect(new Set([...before, ...window].map(String)).size).toBe(before.length + window.length);
    before = window;
  }
});

it('the sum of two amounts of a window shows which two they are', () => {
  const window = windowOf(new WindowAmounts(EURO, 0));
  const sums = window.flatMap((one, at) => window.slice(at).map((other) => one.plus(other).toString()));
  expect(new Set(sums).size).toBe(sums.length);
});

it('an amount that was chosen for another reason is not chosen again', () => {
  const amounts = new WindowAmounts(EURO, 0);
  const first = new WindowAmounts(EURO, 0).above(EURO.stake);
  amounts.use(first);
  expect(amounts.above(EURO.stake).equals(first)).toBe(false);
});

it('an amount above a higher one differs from the amounts of the window, and from those that follow', () => {
  const amounts = new WindowAmounts(EURO, 0);
  const before = [amounts.above(EURO.stake), amounts.above(EURO.stake), amounts.above(EURO.stake)];
  // The next code is 8 units, so this amount would be 1.01, which the first transaction already has.
  const higher = amounts.above(Money.of('0.93'));
  const after = Array.from({ length: 10 }, () => amounts.above(EURO.stake));
  const all = [...before, higher, ...after].map(String);
  expect(new Set(all).size).toBe(all.length);
});
