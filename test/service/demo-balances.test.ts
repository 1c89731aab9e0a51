import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { CURRENCIES } from '../../src/contract/currencies.ts';
import { Money } from '../../src/contract/money.ts';
import { DemoBalances } from '../../src/service/demo-balances.ts';
import { openServiceDatabase } from '../../src/service/service-database.ts';

const ANNA = { cID: 'c', extCID: 'acme', player: 'anna', currency: 'USD' };

it('each combination of client, player and currency has one demo balance, which a later launch does not change', () => {
  const balances = new DemoBalances(openServiceDatabase());
  expect(balances.open(ANNA, Money.of('50')).format()).toBe('50');
  expect(balances.open(ANNA, Money.of('70')).format()).toBe('50');
  for (const other of [{ cID: 'd' }, { extCID: 'else' }, { player: 'ben' }, { currency: 'EUR' }]) {
    expect(balances.balanceOf({ ...ANNA, ...other }).isZero()).toBe(true);
    expect(balances.open({ ...ANNA, ...other }, Money.of('1')).format()).toBe('1');
  }
  expect(balances.balanceOf(ANNA).format()).toBe('50');
});

it('a demo balance begins with the value of 10 000 US dollars, with no more decimals than the currency', () => {
  const balances = new DemoBalances(openServiceDatabase());
  for (const { code, decimals } of CURRENCIES) {
    const balance = balances.open({ ...ANNA, currency: code }, undefined);
    expect(balance.isZero(), code).toBe(false);
    if (decimals !== null) expect(balance.decimals(), code).toBeLessThanOrEqual(decimals);
  }
  expect(balances.balanceOf(ANNA).format()).toBe('10000');
});

it('a demo bet can take the whole balance, but not more', () => {
  const balances = new DemoBalances(openServiceDatabase());
  balances.open(ANNA, Money.of('0.30'));
  expect(balances.debit(ANNA, Money.of('0.31'))).toBe(false);
  expect(balances.debit(ANNA, Money.of('0.10'))).toBe(true);
  expect(balances.debit(ANNA, Money.of('0.20'))).toBe(true);
  expect(balances.balanceOf(ANNA).isZero()).toBe(true);
  balances.credit(ANNA, Money.of('1.25'));
  expect(balances.balanceOf(ANNA).format()).toBe('1.25');
});

it('a demo balance of zero is still zero after a restart', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'demo-'));
  const first = openServiceDatabase(folder);
  const before = new DemoBalances(first);
  before.open(ANNA, Money.of('5'));
  before.debit(ANNA, Money.of('5'));
  first.close();
  const second = openServiceDatabase(folder);
  const after = new DemoBalances(second);
  expect(after.open(ANNA, Money.of('5')).isZero()).toBe(true);
  second.close();
});
