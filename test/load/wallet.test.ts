import { describe, expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { type Departure, type LoadTransaction, Wallet } from '../../src/load/wallet.ts';
import type { Answer } from '../../src/reply/classify.ts';
import { transaction } from './transaction.ts';

let number = 0;

function fresh(call: LoadTransaction['call'], amount: string, bet?: LoadTransaction): LoadTransaction {
  number += 1;
  return transaction({
    number,
    call,
    amount,
    bet,
    state: 'sent',
    copies: 0,
    status: undefined,
    operatorTxID: undefined,
  });
}

function depart(wallet: Wallet, one: LoadTransaction, now = 0): Departure {
  return wallet.depart(one, now);
}

function answer(wallet: Wallet, one: LoadTransaction, given: Answer, status?: number): void {
  wallet.answered(one, { answer: given, status }, 2000, 10);
}

function range(wallet: Wallet, departure: Departure, one?: LoadTransaction): string {
  const { low, high } = wallet.rangeOf(departure, one);
  return `${low}..${high}`;
}

describe('the account of a wallet', () => {
  it('takes accepted bets, adds accepted wins, and ignores declined bets', () => {
    const wallet = new Wallet(Money.of('100'));
    for (const [call, amount, given, status] of [
      ['bet', '10', 'accepted', 200],
      ['win', '25', 'accepted', 200],
      ['bet', '7', 'declined', 409],
      ['bet', '7', 'declined', 503],
    ] as const) {
      const one = fresh(call, amount);
      depart(wallet, one);
      answer(wallet, one, given, status);
    }
    expect(wallet.expected.toString()).toBe('115');
    expect(wallet.isQuiet).toBe(true);
  });

  it('suspects a call although its own reply shows the right balance, until a later reply shows it too', () => {
    const wallet = new Wallet(Money.of('100'));
    const [bet, win] = [fresh('bet', '10'), fresh('win', '7')];
    for (const one of [bet, win]) {
      depart(wallet, one);
      answer(wallet, one, 'accepted', 200);
      wallet.confirm(one);
    }
    expect(wallet.suspects).toEqual([win]);
    wallet.confirm(undefined);
    expect(wallet.suspects).toEqual([]);
  });

  it('remembers when a call was last accepted, and not when a repetition of it failed', () => {
    const wallet = new Wallet(Money.of('100'));
    const bet = fresh('bet', '10');
    depart(wallet, bet);
    answer(wallet, bet, 'accepted', 200);
    depart(wallet, bet, 20);
    wallet.answered(bet, { answer: 'lost', status: undefined }, 2000, 30);
    expect(bet.endedAt).toBe(10);
    depart(wallet, bet, 40);
    wallet.answered(bet, { answer: 'accepted', status: 200 }, 2000, 50);
    expect(bet.endedAt).toBe(50);
  });

  it('keeps a bet without a reply open until its refund is answered 200, and a win until it is', () => {
    const wallet = new Wallet(Money.of('100'));
    const bet = fresh('bet', '10');
    depart(wallet, bet);
    answer(wallet, bet, 'broken');
    expect(wallet.isQuiet).toBe(false);
    expect(wallet.lowest.toString()).toBe('90');
    const refund = fresh('refund', '10', bet);
    depart(wallet, refund);
    answer(wallet, refund, 'declined', 503);
    expect(wallet.isQuiet).toBe(false);
    depart(wallet, refund);
    answer(wallet, refund, 'accepted', 200);
    expect([wallet.isQuiet, wallet.expected.toString(), bet.state]).toEqual([true, '100', 'reversed']);
    const win = fresh('win', '5');
    depart(wallet, win);
    answer(wallet, win, 'failed', 500);
    expect([wallet.isQuiet, wallet.expected.toString()]).toEqual([false, '100']);
    depart(wallet, win);
    answer(wallet, win, 'accepted', 200);
    expect([wallet.isQuiet, wallet.expected.toString()]).toEqual([true, '105']);
  });

  it('lets a reply show the effects of some overlapping calls, and of no others', () => {
    const wallet = new Wallet(Money.of('100'));
    const alone = fresh('bet', '1');
    const first = depart(wallet, alone);
    expect(range(wallet, first, alone)).toBe('99..99');
    const win = fresh('win', '20');
    depart(wallet, win);
    expect(range(wallet, first, alone)).toBe('99..119');
    answer(wallet, win, 'accepted', 200);
    // The win was answered before this call left, so its reply must show it.
    const other = fresh('bet', '3');
    const later = depart(wallet, other);
    expect(range(wallet, later, other)).toBe('116..117');
    answer(wallet, alone, 'accepted', 200);
    expect(range(wallet, later, other)).toBe('116..117');
  });

  it('lets a reply show only balances that some of the overlapping calls give together', () => {
    const wallet = new Wallet(Money.of('100'));
    const [early, alone, bet, win] = [fresh('bet', '10'), fresh('bet', '1'), fresh('bet', '3'), fresh('win', '20')];
    depart(wallet, early);
    const departure = depart(wallet, alone);
    for (const one of [bet, win]) depart(wallet, one);
    answer(wallet, early, 'accepted', 200);
    answer(wallet, bet, 'accepted', 200);
    const { balances } = wallet.rangeOf(departure, alone);
    expect(balances?.map(Number).sort((one, other) => one - other)).toEqual([86, 89, 96, 99, 106, 109, 116, 119]);
    for (let more = 0; more < 3; more += 1) depart(wallet, fresh('bet', '2'));
    expect(wallet.rangeOf(departure, alone).balances).toBeUndefined();
  });

  it('lets a reply show the debit of a refunded bet for a while, and then no longer', () => {
    const wallet = new Wallet(Money.of('100'));
    const bet = fresh('bet', '10');
    depart(wallet, bet);
    answer(wallet, bet, 'late');
    const refund = fresh('refund', '10', bet);
    depart(wallet, refund);
    answer(wallet, refund, 'accepted', 200);
    expect(range(wallet, wallet.depart(undefined, 100))).toBe('90..100');
    expect(range(wallet, wallet.depart(undefined, 2001))).toBe('100..100');
  });

  it.each([
    [
      [
        ['declined', 409],
        ['accepted', 200],
      ],
      'applied',
      '90',
    ],
    [
      [
        ['accepted', 200],
        ['declined', 409],
      ],
      'applied',
      '90',
    ],
    [
      [
        ['lost', undefined],
        ['declined', 409],
      ],
      'unknown',
      '100',
    ],
    [
      [
        ['declined', 409],
        ['declined', 409],
      ],
      'none',
      '100',
    ],
  ] as const)('two copies of a bet at once that are answered %j leave it %s', (answers, state, expected) => {
    const wallet = new Wallet(Money.of('100'));
    const bet = fresh('bet', '10');
    depart(wallet, bet);
    depart(wallet, bet);
    for (const [given, status] of answers) answer(wallet, bet, given, status);
    expect([bet.state, wallet.expected.toString(), bet.isCopiedAtOnce]).toEqual([state, expected, true]);
  });

  it('accepts either balance after a free round, and takes the one that is shown', () => {
    const wallet = new Wallet(Money.of('100'));
    for (const [call, amount] of [
      ['bet', '1'],
      ['win', '4'],
    ] as const) {
      const one = { ...fresh(call, amount), isFree: true };
      depart(wallet, one);
      answer(wallet, one, 'accepted', 200);
    }
    for (const shown of ['100', '99', '104', '103']) expect(wallet.differenceAt(Money.of(shown)).isZero()).toBe(true);
    expect(wallet.differenceAt(Money.of('102')).toString()).toBe('2');
    wallet.take(Money.of('104'));
    expect(wallet.differenceAt(Money.of('100')).toString()).toBe('-4');
  });
});
