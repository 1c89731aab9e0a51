import { describe, expect, it } from 'vitest';
import type { Money } from '../../../src/contract/money.ts';
import { judgeScenario } from '../judged-scenario.ts';
import type { Fault } from '../toy-wallet.ts';
import { withOldReads } from './old-reads.ts';

/** The bets, the refund and the win have different amounts, so that each balance occurs only once. */
const CALLS = `steps:
  - bet: { amount: "1.00" }
  - balance:
  - bet: { amount: "2.00" }
  - balance:
  - refund:
  - balance:
  - bet: { amount: "4.00" }
  - balance:
  - bet: { amount: "5.00" }
  - balance:`;

/** Returns a wallet that takes a cent too much for some bets: all but the third. */
function takesMore(): Fault {
  let bets = 0;
  return ({ call }, honest, wallet) => {
    const reply = honest();
    if (call !== 'bet') return reply;
    bets += 1;
    if (bets === 3) return reply;
    wallet.move('-0.01');
    return wallet.ok();
  };
}

/** The rules of the findings about reads that the replies prove to be old. */
function oldReads(fault: Fault): readonly string[] {
  const { findings } = judgeScenario(CALLS, { fault });
  return findings.filter(({ actual }) => actual.includes('the next reply continues')).map(({ rule }) => rule);
}

describe('reads that show older balances than the replies', () => {
  it('break `balance.read` after calls of several kinds, also if the bets take wrong sums', () =>
    expect(oldReads(withOldReads(takesMore()))).toContain('balance.read'));

  it('are not seen if only the bets take wrong sums', () => expect(oldReads(takesMore())).toEqual([]));

  it('are not seen if a bet is not taken and only its reply is wrong', () => {
    let replied: Money | undefined;
    const takesNothing: Fault = ({ call }, honest, wallet) => {
      const before = wallet.balance();
      const reply = honest();
      if (call === 'balance') return reply;
      replied = (replied ?? before).plus(wallet.balance().minus(before));
      if (call === 'bet') wallet.move(before.minus(wallet.balance()).toString());
      return wallet.ok('p1', replied);
    };
    expect(oldReads(takesNothing)).toEqual([]);
  });
});
