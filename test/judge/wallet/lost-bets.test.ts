import { describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { describeLateDebit, type LostBet, LostBets } from '../../../src/judge/wallet/lost-bets.ts';

const lost = (amount: string, scenario = 'refund/broken-connection'): LostBet => ({
  txID: amount,
  amount: Money.of(amount),
  scenario,
  rule: 'refund.broken-connection',
});

function betsOf(...bets: readonly LostBet[]): LostBets {
  const all = new LostBets();
  for (const bet of bets) all.add('p1', bet);
  return all;
}

describe('the lost bets of a run', () => {
  it('explain a balance that is too low by the sum of some bets of one scenario', () => {
    const bets = betsOf(lost('1'), lost('2'), lost('8'), lost('4', 'win/retried'));
    expect(bets.ofFall('p1', Money.of('10'))?.map(({ txID }) => txID)).toEqual(['2', '8']);
    expect(bets.ofFall('p1', Money.of('5'))).toBeUndefined();
    expect(bets.ofFall('p1', Money.of('1').negated())).toBeUndefined();
    expect(bets.ofFall('p2', Money.of('1'))).toBeUndefined();
  });

  it('explain only one balance each', () => {
    const bets = betsOf(lost('1'));
    bets.remove('p1', bets.ofFall('p1', Money.of('1')) ?? []);
    expect(bets.ofFall('p1', Money.of('1'))).toBeUndefined();
  });

  it('are named by their amounts and their scenario', () => {
    expect(describeLateDebit([lost('2')])).toBe(
      'the lost bet of 2 of refund/broken-connection was taken after its refund was answered 200',
    );
    expect(describeLateDebit([lost('2'), lost('8')])).toBe(
      'the lost bets of 2 and 8 of refund/broken-connection were taken after their refunds were answered 200',
    );
  });
});
