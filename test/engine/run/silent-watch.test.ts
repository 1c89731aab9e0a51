import { describe, expect, it } from 'vitest';
import { conclude } from '../../../src/journal/conclusion.ts';
import { operatorServer, ran, scenarioOf } from '../operator-server.ts';

const BET = scenarioOf('bet/one', 'rules: [bet.debit]\nsteps:\n  - bet:\n  - balance:\n');

describe('the watch of a balance after a failure', () => {
  it('leaves the failure undecided if somebody else moves the balance', async () => {
    // A bet of the other user comes with the bet of croupier. The others come later, while croupier sends nothing.
    const operator = await operatorServer((called, tell, wallet) => {
      if (called.call === 'bet') wallet.move('-0.37');
      if (called.call === 'balance' && called.number > 6) wallet.move(`${called.number % 5}.0${called.number % 7}`);
      return tell();
    });
    const { fold, verdict } = await ran(operator.url, [BET], { watchesBalances: true });
    expect(fold.movedAlone).toMatchObject({ sessionID: 's1', player: 'p1' });
    expect(fold.movedAlone?.values.length).toBeGreaterThan(2);
    expect(verdict('bet.debit')).toBe('inconclusive');
    expect(fold.rules.filter((one) => one.verdict === 'fail').map(({ rule }) => rule.id)).toEqual([]);
    expect(conclude(fold)).toMatchObject({
      exitCode: 3,
      firstLine: expect.stringContaining('UNDECIDED: the balance of the player p1 changed without a call') as string,
    });
    expect(fold.scenarios.map((one) => one.verdict)).toEqual(['inconclusive']);
  });

  it('leaves the failure undecided after a single change of the balance', async () => {
    const operator = await operatorServer((called, tell, wallet) => {
      if (called.call === 'bet') wallet.move('-0.37');
      if (called.call === 'balance' && called.number === 12) wallet.move('5.00');
      return tell();
    });
    const { fold } = await ran(operator.url, [BET], { watchesBalances: true });
    expect([fold.movedAlone?.values.length, conclude(fold).exitCode]).toEqual([2, 3]);
  });

  it('keeps the failure of a wallet that takes a wrong amount', async () => {
    const operator = await operatorServer((called, tell, wallet) => {
      const reply = tell();
      if (called.call === 'bet') wallet.move('-1.00');
      return reply;
    });
    const { fold } = await ran(operator.url, [BET], { watchesBalances: true });
    expect([fold.movedAlone, conclude(fold).exitCode]).toEqual([null, 1]);
  });

  it('keeps the failure of a wallet whose balance changes with each read', async () => {
    const operator = await operatorServer((called, tell, wallet) => {
      if (called.call === 'balance') wallet.move('-0.01');
      return tell();
    });
    const { fold } = await ran(operator.url, [BET], { watchesBalances: true });
    expect([fold.movedAlone, conclude(fold).exitCode]).toEqual([null, 1]);
  });

  it('reads no balance if nobody else can reach the operator', async () => {
    const operator = await operatorServer((called, tell, wallet) => {
      if (called.call === 'bet') wallet.move('-1.00');
      return tell();
    });
    const { events } = await ran(operator.url, [BET]);
    const reads = events.filter((event) => event.event === 'sending' && event.call === 'balance');
    expect(reads.length).toBeLessThan(10);
  });
});

describe('a run without locks', () => {
  it.each([
    ['once', (bet: number) => (bet === 1 ? '-0.37' : '0.00'), 3],
    ['in the first two attempts only', (bet: number) => (bet <= 2 ? '-0.37' : '0.00'), 3],
    ['by another sum each time', (bet: number) => `-0.${30 + bet}`, 3],
    ['by the same sum each time', () => '-0.37', 1],
  ] as const)('judges a balance that was wrong %s', async (_, by, status) => {
    let bets = 0;
    const operator = await operatorServer((called, tell, wallet) => {
      if (called.call === 'bet') {
        bets += 1;
        wallet.move(by(bets));
      }
      return tell();
    });
    const { fold, verdict } = await ran(operator.url, [BET], { isUnlocked: true });
    expect(conclude(fold).exitCode).toBe(status);
    expect(verdict('bet.debit')).toBe(status === 1 ? 'fail' : 'inconclusive');
    // If somebody else may have moved the balance, the run may also have restored a wrong one.
    const isSaid = fold.notices.some((notice) => notice.includes('The players may now have too much or too little'));
    expect(isSaid).toBe(status === 3);
  });
});
