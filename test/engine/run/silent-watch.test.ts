import { describe, expect, it } from 'vitest';
import { conclude } from '../../../src/journal/conclusion.ts';
import { operatorServer, P1, P2, ran, scenarioOf } from '../operator-server.ts';

/** The first scenario of a run is played alone. */
const FIRST = scenarioOf('balance/read', 'rules: [balance.read]\nsteps: [{ balance: }]');
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

  it.each([
    ['somebody else moves it by the amounts of the calls of another player by chance', false, 3],
    ['the calls of the other player move it instead of their own', true, 1],
  ])('decides whose money it is if %s', async (_, isWrong, status) => {
    const rounds = Array.from(
      { length: isWrong ? 25 : 80 },
      () => '  - bet: { amount: "1.00" }\n  - win: { amount: "7.00" }\n  - wait: 15ms\n',
    );
    const OTHER = scenarioOf(
      'win/many',
      `rules: [win.credit]\nneeds: { currency: { decimals: 0 } }\nsteps:\n${rounds.join('').replaceAll('.00"', '"')}`,
    );
    const OWN = scenarioOf(
      'win/own',
      'rules: [bet.debit]\nneeds: { currency: { decimals: 2 } }\nsteps:\n  - bet:\n  - balance:\n',
    );
    const sessions = [P1, { ...P2, currency: 'JPY' }];
    const operator = await operatorServer(
      ({ call, fields }, tell, wallet) => {
        if (fields?.sessionID === 's1' && call === 'bet') wallet.move('-0.37');
        if (fields?.sessionID !== 's2' || fields.amount !== '7') return tell();
        wallet.move('7.00');
        const reply = tell();
        // The other player keeps enough for the next bet.
        if (isWrong) wallet.move('-6.00', 'p2');
        return reply;
      },
      { sessions },
    );
    const { fold } = await ran(operator.url, [FIRST, OTHER, OWN], { watchesBalances: true, lingerMs: 200 }, sessions);
    // A change that the watch does not explain is a proof, and not only a sign.
    const isProof = fold.movedAlone !== null && fold.movedAlone.onlyUnrepeated === undefined;
    expect([isProof, conclude(fold).exitCode]).toEqual([!isWrong, status]);
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

  it('keeps the failure of a wallet whose reads show 0 now and then', async () => {
    let reads = 0;
    const operator = await operatorServer((called, tell, wallet) => {
      if (called.call === 'bet') wallet.move('-1.00');
      if (called.call === 'balance') reads += 1;
      return reads % 9 === 0 && called.call === 'balance' ? { status: 200, body: { balance: '0.00' } } : tell();
    });
    const { fold } = await ran(operator.url, [BET], { watchesBalances: true });
    expect([fold.movedAlone, conclude(fold).exitCode]).toEqual([null, 1]);
  });

  it('leaves the failure undecided if somebody else empties the wallet for a while', async () => {
    let reads = 0;
    const operator = await operatorServer((called, tell, wallet) => {
      if (called.call === 'bet') wallet.move('-0.37');
      if (called.call === 'balance') reads += 1;
      const isEmpty = called.call === 'balance' && reads > 8 && reads < 13;
      return isEmpty ? { status: 200, body: { balance: '0.00' } } : tell();
    });
    const { fold } = await ran(operator.url, [BET], { watchesBalances: true });
    expect([fold.movedAlone?.values.includes('0'), conclude(fold).exitCode]).toEqual([true, 3]);
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
