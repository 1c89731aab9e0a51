import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { CURRENCIES } from '../../src/contract/currencies.ts';
import { Money } from '../../src/contract/money.ts';
import { DemoBalances } from '../../src/service/demo-balances.ts';

const ANNA = { cID: 'c', extCID: 'acme', player: 'anna', currency: 'USD' };

it('is one for each combination, and never changed by what is asked for later', () => {
  const balances = new DemoBalances();
  expect(balances.open(ANNA, Money.of('50')).format()).toBe('50');
  expect(balances.open(ANNA, Money.of('70')).format()).toBe('50');
  for (const other of [{ cID: 'd' }, { extCID: 'else' }, { player: 'ben' }, { currency: 'EUR' }]) {
    expect(balances.balanceOf({ ...ANNA, ...other }).isZero()).toBe(true);
    expect(balances.open({ ...ANNA, ...other }, Money.of('1')).format()).toBe('1');
  }
  expect(balances.balanceOf(ANNA).format()).toBe('50');
});

it('begins with the worth of 10 000 dollars, in as many decimals as the currency carries', () => {
  const balances = new DemoBalances();
  for (const { code, decimals } of CURRENCIES) {
    const balance = balances.open({ ...ANNA, currency: code }, undefined);
    expect(balance.isZero(), code).toBe(false);
    if (decimals !== null) expect(balance.decimals(), code).toBeLessThanOrEqual(decimals);
  }
  expect(balances.balanceOf(ANNA).format()).toBe('10000');
});

it('takes exactly what is there, and no more', () => {
  const balances = new DemoBalances();
  balances.open(ANNA, Money.of('0.30'));
  expect(balances.take(ANNA, Money.of('0.31'))).toBe(false);
  expect(balances.take(ANNA, Money.of('0.10'))).toBe(true);
  expect(balances.take(ANNA, Money.of('0.20'))).toBe(true);
  expect(balances.balanceOf(ANNA).isZero()).toBe(true);
  balances.give(ANNA, Money.of('1.25'));
  expect(balances.balanceOf(ANNA).format()).toBe('1.25');
});

it('outlives the process, used up as it is', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'demo-')), 'demo.ndjson');
  const before = new DemoBalances(file);
  before.open(ANNA, Money.of('5'));
  before.take(ANNA, Money.of('5'));
  before.close();
  const after = new DemoBalances(file);
  expect(after.open(ANNA, Money.of('5')).isZero()).toBe(true);
  after.close();
});
