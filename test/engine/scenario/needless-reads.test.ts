import { describe, expect, it } from 'vitest';
import { operatorServer, type Ran, ran, scenarioOf } from '../operator-server.ts';

const OPTIONS = { deadlineMs: 4000, fewerReads: true };

const TWO_BETS = scenarioOf(
  'bet/two',
  'rules: [bet.debit]\nsteps: [{ bet: }, { balance: }, { bet: { amount: "3.00" } }, { balance: }]',
);

describe('a scenario with a needless read', () => {
  it('leaves out the read after a call whose reply had the right balance', async () => {
    const { url, calls } = await operatorServer();
    const run = await ran(url, [TWO_BETS], OPTIONS);
    expect(run.verdict('bet.debit')).toBe('pass');
    expect(run.scenario('bet/two').attempt).toBe(1);
    // The opening read, the first bet, the win of 0 that completes its round, the second bet, and the last read.
    expect(calls.slice(0, 5).map(({ call }) => call)).toEqual(['balance', 'bet', 'win', 'bet', 'balance']);
  });

  it('keeps the read after a call that must be refused', async () => {
    const { url, calls } = await operatorServer();
    const refused = scenarioOf(
      'signature/wrong',
      'rules: [signature.mismatch]\nsteps: [{ bet: , sign: garbage, expect: refused }, { balance: }, { bet: }, { balance: }]',
    );
    await ran(url, [refused], OPTIONS);
    expect(calls.slice(0, 5).map(({ call }) => call)).toEqual(['balance', 'bet', 'balance', 'bet', 'balance']);
  });

  it('is played again with all reads if the balance is wrong, so that the report names the call', async () => {
    // The reply to the second bet says the right balance, but the bet takes twice its amount.
    const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
      const reply = tell();
      if (call === 'bet' && fields?.amount === '3.00') wallet.move('-3.00');
      return reply;
    });
    const run = await ran(url, [TWO_BETS], OPTIONS);
    expect(run.scenario('bet/two').attempt).toBe(2);
    expect(run.findings('bet.debit').findLast(({ verdict }) => verdict === 'fail')?.step).toBe('3');
  });

  it('reports a breach that happened only without the read', async () => {
    let wrong = 0;
    const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
      const reply = tell();
      if (call === 'bet' && fields?.amount === '3.00' && wrong === 0) {
        wrong += 1;
        wallet.move('-3.00');
      }
      return reply;
    });
    const run = await ran(url, [TWO_BETS], OPTIONS);
    expect(run.scenario('bet/two')).toMatchObject({ attempt: 2, verdict: 'fail' });
    expect(run.verdict('bet.debit')).toBe('fail');
  });

  const BET_AND_WIN = scenarioOf(
    'win/after-bet',
    'rules: [bet.debit, win.credit]\nsteps: [{ bet: }, { balance: }, { win: { amount: "3.00" } }, { balance: }]',
  );
  /** The wins of 3.00 are too low: the first one by the first sum, and the others by the second one. */
  async function ranLosing(first: string, others: string, more: { readonly bets?: string } = {}) {
    let wins = 0;
    const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
      const reply = tell();
      if (call === 'win' && fields?.amount === '3.00') {
        wallet.move(wins === 0 ? first : others);
        wins += 1;
      }
      if (call === 'bet' && more.bets !== undefined) wallet.move(more.bets);
      return reply;
    });
    const run = await ran(url, [BET_AND_WIN], OPTIONS);
    expect(run.scenario('win/after-bet').attempt).toBe(2);
    expect(run.verdict('win.credit')).toBe('fail');
    return run;
  }

  it('keeps a much larger share that only the first attempt showed, because a known share must not hide it', async () => {
    const outlying = ({ fold }: Ran) => fold.places.flatMap(({ outlyingSums }) => Object.values(outlyingSums));
    expect(outlying(await ranLosing('-3.00', '-0.30'))).toEqual(['3']);
    expect(outlying(await ranLosing('-0.30', '-0.30'))).toEqual([]);
  });

  it('keeps no sum of the first attempt if two rules are broken, because one read shows both sums', async () => {
    const { events } = await ranLosing('-3.00', '-0.30', { bets: '-0.50' });
    // Without a step: the other two are wins of croupier itself, which lose 0.50 because of the bets.
    const sums = events.flatMap((one) => (one.event === 'wrong-sum' && one.step === null ? one.wrongSum.amount : []));
    expect(sums).toEqual(['-0.50', '-0.50']);
  });
});
