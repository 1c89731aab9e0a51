import { expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { Reckoning } from '../../src/engine/reckoning.ts';

const of = (text: string) => (text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text));
const opened = (balance = '100.00') => new Reckoning('p USD', 's', of(balance));
const texts = (reckoning: Reckoning) => reckoning.possible().map(String);

it('knows what a sure effect has taken', () => {
  const wallet = opened();
  wallet.move(of('-7'));
  expect(texts(wallet)).toEqual(['93']);
  expect(wallet.missing()?.toString()).toBe('7');
});

it('holds an open call for possible either way until it is answered, whatever is read', () => {
  const wallet = opened();
  wallet.leaveOpen('bet', of('-7'));
  wallet.touch();
  expect(texts(wallet)).toEqual(['100', '93']);
  expect(wallet.missing()).toBeUndefined();
  wallet.reads(of('93'));
  expect(texts(wallet)).toEqual(['100', '93']);
  wallet.resolve('bet', false);
  expect(wallet.missing()?.isZero()).toBe(true);
});

it('tells apart any number of equal open calls', () => {
  const wallet = opened();
  for (let bet = 0; bet < 40; bet += 1) wallet.leaveOpen(`bet ${bet}`, of('-1'));
  expect(texts(wallet)).toHaveLength(41);
  for (let bet = 0; bet < 40; bet += 1) wallet.resolve(`bet ${bet}`, false);
  expect(texts(wallet)).toEqual(['100']);
});

it('says nothing of more balances than it can tell apart, but knows the one that it wants', () => {
  const wallet = opened();
  for (let bit = 0; bit < 20; bit += 1) wallet.leaveOpen(`bet ${bit}`, of(String(2 ** bit)));
  expect(wallet.possible()).toEqual([]);
  wallet.readsAfterwards(of('42'));
  expect(wallet.strange?.toString()).toBe('42');
  wallet.readsAfterwards(of('100'));
  expect(wallet.strange).toBeNull();
});

it('lets a read decide what the contract leaves to the operator', () => {
  const wallet = opened();
  wallet.may(of('-5'));
  wallet.leaveOpen('bet', of('-7'));
  wallet.touch();
  wallet.reads(of('88'));
  wallet.resolve('bet', false);
  expect(wallet.missing()?.toString()).toBe('5');
});

it('takes what a story has read for the doing of the run', () => {
  const wallet = opened();
  wallet.touch();
  wallet.reads(of('61'));
  expect(wallet.missing()?.toString()).toBe('39');
});

it('takes what moved between two stories for the doing of others', () => {
  const wallet = opened();
  wallet.move(of('-10'));
  wallet.touch();
  wallet.reads(of('90'));
  wallet.opens(of('50'));
  expect(wallet.target.toString()).toBe('60');
  expect(wallet.missing()?.toString()).toBe('10');
});

it('is certain of nothing while a balance is strange, until it fits again', () => {
  const wallet = opened();
  wallet.move(of('-10'));
  wallet.readsAfterwards(of('55'));
  expect(wallet.strange?.toString()).toBe('55');
  expect(wallet.missing()).toBeUndefined();
  wallet.readsAfterwards(of('90'));
  expect(wallet.missing()?.toString()).toBe('10');
});

it('takes a balance that somebody has put right as right', () => {
  const wallet = opened();
  wallet.move(of('-10'));
  wallet.readsAfterwards(of('100'));
  expect(wallet.missing()?.isZero()).toBe(true);
});

it('finds out from the last read of a story what became of calls that nobody asks about any more', () => {
  const wallet = opened();
  wallet.leaveOpen('bet', of('-7'));
  wallet.touch();
  wallet.reads(of('93'));
  wallet.waive('bet');
  wallet.closes();
  expect(texts(wallet)).toEqual(['93']);
});
