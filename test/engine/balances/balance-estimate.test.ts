import { expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { BalanceEstimate } from '../../../src/engine/balances/balance-estimate.ts';

const of = (text: string) => (text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text));
const opened = (balance = '100.00') => new BalanceEstimate('p USD', 's', of(balance));
const texts = (estimate: BalanceEstimate) => estimate.possible().map(String);

it('the balance estimate subtracts a certain debit from the balance, and knows that it is missing', () => {
  const wallet = opened();
  wallet.move(of('-7'));
  expect(texts(wallet)).toEqual(['93']);
  expect(wallet.missing()?.toString()).toBe('7');
});

it('the balance estimate keeps an open call possible in both ways until it is answered, also if a read shows it', () => {
  const wallet = opened();
  wallet.add({ txID: 'bet', delta: of('-7'), kind: 'lost' });
  wallet.touch();
  expect(texts(wallet)).toEqual(['100', '93']);
  expect(wallet.missing()).toBeUndefined();
  wallet.reads(of('93'));
  expect(texts(wallet)).toEqual(['100', '93']);
  wallet.settle('bet', false);
  expect(wallet.missing()?.isZero()).toBe(true);
});

it('the balance estimate keeps apart any number of open calls with the same amount', () => {
  const wallet = opened();
  for (let bet = 0; bet < 40; bet += 1) wallet.add({ txID: `bet ${bet}`, delta: of('-1'), kind: 'lost' });
  expect(texts(wallet)).toHaveLength(41);
  for (let bet = 0; bet < 40; bet += 1) wallet.settle(`bet ${bet}`, false);
  expect(texts(wallet)).toEqual(['100']);
});

it('the balance estimate lists no balance if too many are possible, but accepts the balance from before the run', () => {
  const wallet = opened();
  for (let bit = 0; bit < 20; bit += 1) wallet.add({ txID: `bet ${bit}`, delta: of(String(2 ** bit)), kind: 'lost' });
  expect(wallet.possible()).toEqual([]);
  wallet.readsAfterwards(of('42'));
  expect(wallet.strange?.toString()).toBe('42');
  wallet.readsAfterwards(of('100'));
  expect(wallet.strange).toBeNull();
});

it('the balance estimate lets a read decide what the contract leaves to the operator', () => {
  const wallet = opened();
  wallet.add({ txID: 'free', delta: of('-5'), kind: 'either' });
  wallet.add({ txID: 'bet', delta: of('-7'), kind: 'lost' });
  wallet.touch();
  wallet.reads(of('88'));
  wallet.settle('bet', false);
  expect(wallet.missing()?.toString()).toBe('5');
});

it('the balance estimate counts every change that a scenario reads as caused by the run', () => {
  const wallet = opened();
  wallet.touch();
  wallet.reads(of('61'));
  expect(wallet.missing()?.toString()).toBe('39');
});

it('the balance estimate counts a change between two scenarios as caused by others', () => {
  const wallet = opened();
  wallet.move(of('-10'));
  wallet.touch();
  wallet.reads(of('90'));
  wallet.opens(of('50'));
  expect(wallet.target.toString()).toBe('60');
  expect(wallet.missing()?.toString()).toBe('10');
});

it('the balance estimate knows no missing amount after an unexplained balance, until a read fits again', () => {
  const wallet = opened();
  wallet.move(of('-10'));
  wallet.readsAfterwards(of('55'));
  expect(wallet.strange?.toString()).toBe('55');
  expect(wallet.missing()).toBeUndefined();
  wallet.readsAfterwards(of('90'));
  expect(wallet.missing()?.toString()).toBe('10');
});

it('the balance estimate accepts the balance from before the run as restored by somebody else', () => {
  const wallet = opened();
  wallet.move(of('-10'));
  wallet.readsAfterwards(of('100'));
  expect(wallet.missing()?.isZero()).toBe(true);
});

it('the balance estimate decides by the last read of a scenario whether a call happened that will not be sent again', () => {
  const wallet = opened();
  wallet.add({ txID: 'bet', delta: of('-7'), kind: 'lost' });
  wallet.touch();
  wallet.reads(of('93'));
  wallet.leaveToRead('bet');
  wallet.closes();
  expect(texts(wallet)).toEqual(['93']);
});
