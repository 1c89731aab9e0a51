import { describe, expect, it } from 'vitest';
import type { CallName } from '../../src/contract/call-name.ts';
import { Money } from '../../src/contract/money.ts';
import { leftOut } from '../../src/judge/left-out.ts';
import { Wallet } from '../../src/judge/wallet.ts';

const KINDS: Readonly<Record<string, CallName>> = { 1: 'bet', 2: 'win', 3: 'bet', 4: 'refund' };

/** 100.00, then bets of 1 and 8, a win of 20 and the refund of the second bet. */
function played(): Wallet {
  const wallet = new Wallet('p1', Money.of('0.01'));
  wallet.anchor(Money.of('100'));
  wallet.move('1', Money.of('1').negated());
  wallet.move('2', Money.of('20'));
  wallet.move('3', Money.of('8').negated());
  wallet.move('4', Money.of('8'));
  return wallet;
}

function kinds(told: string, late: readonly CallName[] = []): CallName[] {
  return leftOut(played(), Money.of(told), {
    callOf: (step) => KINDS[step],
    isLate: (kind) => late.includes(kind),
  });
}

describe('what a balance leaves out', () => {
  it('is the last call', () => expect(kinds('111')).toEqual(['refund']));

  it('is one that came before others', () => expect(kinds('99')).toEqual(['win']));

  it('is all of one kind', () => expect(kinds('128')).toEqual(['bet']));

  it('is what came last, of several kinds', () => expect(kinds('100')).toEqual(['bet', 'win', 'refund']));

  it('is the last call where nothing fits', () => expect(kinds('55.55')).toEqual(['refund']));

  it('is what was seen to be left out before, where several would do', () => {
    const wallet = new Wallet('p1', Money.of('0.01'));
    wallet.anchor(Money.of('100'));
    wallet.move('4', Money.of('8'));
    wallet.move('2', Money.of('8'));
    const of = (late: CallName): CallName[] =>
      leftOut(wallet, Money.of('108'), { callOf: (step) => KINDS[step], isLate: (kind) => kind === late });
    expect([of('refund'), of('win')]).toEqual([['refund'], ['win']]);
  });
});
