import { describe, expect, it } from 'vitest';
import type { Owed } from '../../src/journal/event.ts';
import { error } from '../judge/toy-wallet.ts';
import { operatorServer, ran, scenarioOf, type Telling } from './operator-server.ts';

async function settled(steps: string, lie?: Telling) {
  const { url, wallet, calls } = await operatorServer(lie);
  const run = await ran(url, [scenarioOf('a/b', `rules: [balance.read]\nsteps: ${steps}`)], { deadlineMs: 1000 });
  return {
    purposes: run.events.flatMap((event) =>
      event.event === 'sending' && event.purpose === 'settle' ? [event.call] : [],
    ),
    owed: run.events
      .filter((event): event is Owed => event.event === 'owed')
      .map(({ call, open }) => `${call} ${open ? 'owed' : 'settled'}`),
    stillOwed: run.fold.owed.map(({ call }) => call),
    balance: wallet.balance().toString(),
    calls,
  };
}

describe('when a story is over', () => {
  it('a bet without a known outcome is refunded, and the journal says when it was owed', async () => {
    const { purposes, owed, balance, calls } = await settled('[{ bet: { amount: "7.00" }, break: sent }]');
    expect(purposes).toEqual(['refund']);
    expect(owed).toEqual(['refund owed', 'refund settled']);
    expect(balance).toBe('100');
    const [bet, refund] = ['bet', 'refund'].map((name) => calls.find(({ call }) => call === name)?.fields);
    expect(refund).toMatchObject({ origTxID: bet?.txID, roundID: bet?.roundID, amount: '7.00' });
  });

  it('a win without a known outcome is sent again as it was', async () => {
    const { purposes, calls, owed } = await settled(
      '[{ bet: , as: a }, { win: { round: a, amount: "4.00" }, break: sent }]',
    );
    expect(purposes).toEqual(['win']);
    const wins = calls.filter(({ call, fields }) => call === 'win' && fields?.amount === '4.00');
    expect(new Set(wins.map(({ fields }) => fields?.txID)).size).toBe(1);
    expect(owed).toEqual(['win owed', 'win settled']);
  });

  it('a refund that the operator is too busy for is sent until it is answered', async () => {
    let refunds = 0;
    const { purposes, stillOwed } = await settled('[{ bet: { amount: "7.00" }, break: sent }]', ({ call }, tell) => {
      if (call !== 'refund') return tell();
      refunds += 1;
      return refunds < 3 ? error(503, 'Busy') : tell();
    });
    expect(purposes.slice(0, 3)).toEqual(['refund', 'refund', 'refund']);
    expect(stillOwed).toEqual([]);
  });

  it('what is refused stays owed', async () => {
    const { purposes, stillOwed } = await settled('[{ bet: { amount: "7.00" }, break: sent }]', ({ call }, tell) =>
      call === 'refund' ? error(403, 'No') : tell(),
    );
    expect(purposes).toEqual(['refund']);
    expect(stillOwed).toEqual(['refund']);
  });

  it('nothing is sent for what was answered', async () => {
    const { purposes, owed } = await settled(
      '[{ bet: , as: a }, { win: { round: a } }, { refund: { of: a }, expect: either }]',
    );
    expect({ purposes, owed }).toEqual({ purposes: [], owed: [] });
  });
});
