import { describe, expect, it } from 'vitest';
import type { CallName } from '../../../src/contract/call-name.ts';
import type { Owed } from '../../../src/journal/event.ts';
import { error, type ToyReply } from '../../judge/toy-wallet.ts';
import { type Behaviour, operatorServer, ran, scenarioOf } from '../operator-server.ts';

/** Declines the first call of each txID of one kind. */
function firstDeclined(name: CallName, told: ToyReply): Behaviour {
  const seen = new Set<unknown>();
  return ({ call, fields }, tell) => {
    if (call !== name || seen.has(fields?.txID)) return tell();
    seen.add(fields?.txID);
    return told;
  };
}

async function settled(steps: string, lie?: Behaviour) {
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
    findings: run.findings(),
    calls,
  };
}

describe('at the end of a scenario', () => {
  it('a bet of unknown outcome is refunded, and the journal records how long the refund is owed', async () => {
    const { purposes, owed, balance, calls } = await settled('[{ bet: { amount: "7.00" }, break: sent }]');
    expect(purposes).toEqual(['refund']);
    expect(owed).toEqual(['refund owed', 'refund settled']);
    expect(balance).toBe('100');
    const [bet, refund] = ['bet', 'refund'].map((name) => calls.find(({ call }) => call === name)?.fields);
    expect(refund).toMatchObject({ origTxID: bet?.txID, roundID: bet?.roundID, amount: '7.00' });
  });

  it('a win of unknown outcome is sent again unchanged', async () => {
    const { purposes, calls, owed } = await settled(
      '[{ bet: , as: a }, { win: { round: a, amount: "4.00" }, break: sent }]',
    );
    expect(purposes).toEqual(['win']);
    const wins = calls.filter(({ call, fields }) => call === 'win' && fields?.amount === '4.00');
    expect(new Set(wins.map(({ fields }) => fields?.txID)).size).toBe(1);
    expect(owed).toEqual(['win owed', 'win settled']);
  });

  it('a refund is repeated until the operator is no longer busy', async () => {
    let refunds = 0;
    const { purposes, stillOwed } = await settled('[{ bet: { amount: "7.00" }, break: sent }]', ({ call }, tell) => {
      if (call !== 'refund') return tell();
      refunds += 1;
      return refunds < 3 ? error(503, 'Busy') : tell();
    });
    expect(purposes.slice(0, 3)).toEqual(['refund', 'refund', 'refund']);
    expect(stillOwed).toEqual([]);
  });

  it('a refund that the operator refuses stays owed', async () => {
    const { purposes, stillOwed } = await settled('[{ bet: { amount: "7.00" }, break: sent }]', ({ call }, tell) =>
      call === 'refund' ? error(403, 'No') : tell(),
    );
    expect(new Set(purposes)).toEqual(new Set(['refund']));
    expect(stillOwed).toEqual(['refund']);
  });

  it('nothing is sent for answered calls', async () => {
    const { purposes, owed } = await settled(
      '[{ bet: , as: a }, { win: { round: a } }, { refund: { of: a }, expect: either }]',
    );
    expect({ purposes, owed }).toEqual({ purposes: [], owed: [] });
  });
});

describe('after concurrent calls', () => {
  it('declined wins and refunds are sent again before the next read', async () => {
    const { purposes, findings, calls } = await settled(
      '[{ bet: , as: a }, { balance: }, { together: [{ bet: { amount: "2.00" } }, { win: { round: a, amount: "5.00" } }, { bet: { amount: "3.00" } }] }, { balance: }]',
      firstDeclined('win', error(409, 'Another call is under way')),
    );
    expect(purposes[0]).toBe('win');
    expect(findings.filter(({ verdict }) => verdict === 'fail' || verdict === 'inconclusive')).toEqual([]);
    const race = calls.slice(calls.findIndex(({ fields }) => fields?.amount === '5.00')).map(({ call }) => call);
    expect(race.lastIndexOf('win', race.indexOf('balance'))).toBeGreaterThan(0);
  });

  it('a bet is refunded once, although several refunds of it are sent again', async () => {
    const { findings } = await settled(
      '[{ bet: { amount: "7.00" }, as: a }, { balance: }, { together: [{ refund: { of: a } }, { refund: { of: a } }, { refund: { of: a } }] }, { balance: }]',
      firstDeclined('refund', error(500, 'Busy')),
    );
    expect(findings.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });

  it('a failed bet is refunded, unless the scenario refunds it', async () => {
    const failing = firstDeclined('bet', error(500, 'Busy'));
    const race = '{ together: [{ bet: , as: b, expect: either }, { bet: , as: c, expect: either }] }';
    expect((await settled(`[${race}, { balance: }]`, failing)).purposes.slice(0, 2)).toEqual(['refund', 'refund']);
    const { purposes } = await settled(
      `[{ together: [{ bet: , as: b, expect: either }, { balance: }] }, { refund: { of: b } }, { balance: }]`,
      failing,
    );
    expect(purposes).toEqual([]);
  });
});

it('a refund that settles an unknown bet is judged by its last answer', async () => {
  const { findings } = await settled(
    '[{ bet: , expect: either }, { balance: }]',
    (() => {
      const bet = firstDeclined('bet', error(500, 'Oops'));
      const refund = firstDeclined('refund', error(500, 'Oops'));
      return (called, tell, wallet) => (called.call === 'bet' ? bet : refund)(called, tell, wallet);
    })(),
  );
  expect(findings.filter(({ rule }) => rule === 'refund.after-error').map(({ verdict }) => verdict)).not.toContain(
    'fail',
  );
});

it.each([true, false])(
  'a failed refund of a settled round may pay at any of its attempts (at the first: %s)',
  async (isFirst) => {
    let refunds = 0;
    const { purposes, findings } = await settled(
      '[{ bet: { amount: "2.00" }, as: a }, { win: { round: a, amount: "3.00" } }, { balance: }, { refund: { of: a }, expect: either }, { balance: }]',
      ({ call }, tell, wallet) => {
        if (call !== 'refund') return tell();
        refunds += 1;
        if (refunds === (isFirst ? 1 : 2)) wallet.move('2.00');
        return refunds === 1 ? error(500, 'Oops') : wallet.ok();
      },
    );
    expect(purposes).toEqual(['refund']);
    expect(findings.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  },
);

it('the balance is restored after a win that is always declined', async () => {
  let wins = 0;
  const { balance } = await settled(
    '[{ bet: , as: a }, { win: { round: a, amount: "2.00" } }, { balance: }, { win: { round: a, amount: "3.00" } }, { balance: }]',
    ({ call, fields }, tell) => {
      if (call === 'win') wins += 1;
      return fields?.amount === '3.00' ? error(409, 'The round has been paid') : tell();
    },
  );
  expect(wins).toBeGreaterThan(2);
  expect(balance).toBe('100');
});

it.each([
  ['of an accepted bet', '[{ bet: { amount: "2.00" }, as: a }, { refund: { of: a } }]', 'accepted'],
  [
    'of a declined bet',
    '[{ bet: { amount: "500.00" }, expect: declined, as: a }, { refund: { of: a, amount: "500.00" } }]',
    'declined',
  ],
])('the journal names the refund %s that is owed, its bet and its status', async (_, steps, bet) => {
  const { url } = await operatorServer(({ call }, tell) => (call === 'refund' ? error(404, 'Unknown') : tell()));
  const run = await ran(url, [scenarioOf('a/b', `rules: [balance.read]\nsteps: ${steps}`)], { deadlineMs: 1000 });
  const [owed] = run.fold.owed;
  expect(owed).toMatchObject({ call: 'refund', bet, status: 404 });
  expect(owed?.fields).toMatchObject({ txID: owed?.txID, origTxID: expect.any(String) });
  expect(run.fold.owed).toHaveLength(1);
});

it('the journal names the fields of each refund that was sent at the same time as others', async () => {
  const { url } = await operatorServer(({ call }, tell) => (call === 'refund' ? error(404, 'Unknown') : tell()));
  const steps = '[{ bet: , as: a }, { bet: , as: b }, { together: [{ refund: { of: a } }, { refund: { of: b } }] }]';
  const run = await ran(url, [scenarioOf('a/b', `rules: [balance.read]\nsteps: ${steps}`)], { deadlineMs: 1000 });
  expect(run.fold.owed.length).toBeGreaterThan(1);
  for (const { txID, fields, bet } of run.fold.owed) {
    expect(fields).toMatchObject({ txID, origTxID: expect.any(String) });
    expect(bet).toBe('accepted');
  }
});
