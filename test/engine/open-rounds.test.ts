import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json.ts';
import { error } from '../judge/toy-wallet.ts';
import { type Behaviour, operatorServer, P1, P2, ran, scenarioOf } from './operator-server.ts';

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** Plays a scenario, and returns the calls that move money or complete rounds. */
async function played(yaml: string, lie?: Behaviour) {
  const { url, wallet, calls } = await operatorServer(lie, { sessions: [P1, P2] });
  const run = await ran(url, [scenarioOf('bet/rounds', yaml)], { deadlineMs: 1000, raceRounds: 1 }, [P1, P2]);
  const moving = calls.filter(({ call }) => call !== 'balance');
  const rounds = [...new Set(moving.map(({ fields }) => fields?.roundID))];
  return {
    run,
    wallet,
    /** Each call with the number of its round, from 1, in the order of arrival. */
    calls: moving.map(
      ({ call, fields }) => `${call} ${textOf(fields?.amount)} in ${rounds.indexOf(fields?.roundID) + 1}`,
    ),
  };
}

describe('completing rounds', () => {
  it('each round is completed with a win of 0 before the next bet, and the last with the missing money', async () => {
    const { calls, run, wallet } = await played(
      'rules: [bet.debit]\nsteps: [{ bet: }, { balance: }, { bet: { amount: "3.00" } }, { balance: }]',
    );
    expect(calls).toEqual(['bet 1.00 in 1', 'win 0 in 1', 'bet 3.00 in 2', 'win 4.00 in 2']);
    expect(wallet.balance().format(2)).toBe('100.00');
    expect(run.scenario('bet/rounds')).toMatchObject({ verdict: 'pass', restored: true });
  });

  it('a round stays open while a later step refers to it', async () => {
    const rounds = async (step: string) =>
      (await played(`rules: [bet.debit]\nsteps: [{ bet: , as: a }, { bet: }, ${step}, { balance: }]`)).calls.slice(
        0,
        3,
      );
    expect(await rounds('{ win: { round: a } }')).toEqual(['bet 1.00 in 1', 'bet 1.00 in 2', 'win 1.00 in 1']);
    expect(await rounds('{ refund: { of: a } }')).toEqual(['bet 1.00 in 1', 'bet 1.00 in 2', 'refund 1.00 in 1']);
    expect(await rounds('{ bet: { round: a } }')).toEqual(['bet 1.00 in 1', 'bet 1.00 in 2', 'bet 1.00 in 1']);
    expect(await rounds('{ resend: a }')).toEqual(['bet 1.00 in 1', 'bet 1.00 in 2', 'bet 1.00 in 1']);
    expect(await rounds('{ win: }')).toEqual(['bet 1.00 in 1', 'win 0 in 1', 'bet 1.00 in 2']);
  });

  it('a round is not completed if its bet was refunded or declined, or if it has a win', async () => {
    const over = await played(
      'rules: [bet.debit]\nsteps: [{ bet: }, { refund: }, { bet: }, { win: }, { bet: { amount: "500.00" }, expect: declined }, { balance: }]',
    );
    expect(over.calls).toEqual([
      'bet 1.00 in 1',
      'refund 1.00 in 1',
      'bet 1.00 in 2',
      'win 1.00 in 2',
      'bet 500.00 in 3',
    ]);
  });

  it('a bet whose connection broke is refunded, and its round gets no win', async () => {
    const { calls } = await played(
      'rules: [bet.debit]\nsteps: [{ bet: , as: lost, break: sent }, { refund: { of: lost } }, { bet: }, { win: }, { balance: }]',
    );
    expect(calls).toEqual(['bet 1.00 in 1', 'refund 1.00 in 1', 'bet 1.00 in 2', 'win 1.00 in 2']);
  });

  it('a round is completed if its only win had the txID of its bet, because the wallet may have taken it for the bet', async () => {
    const { calls } = await played(
      'rules: [idempotency.across-calls]\nsteps: [{ bet: , as: a }, { win: { txID: "${a.txID}", round: a }, expect: either }, { balance: }]',
    );
    expect(calls).toEqual(['bet 1.00 in 1', 'win 1.00 in 1', 'win 1.00 in 1']);
  });

  it('a round is completed in the session of its bet if its only win was sent from two sessions at the same instant', async () => {
    const sessions = [P1, { ...P2, player: 'p1' }];
    const { url, calls } = await operatorServer(undefined, { sessions });
    const race = scenarioOf(
      'bet/rounds',
      'rules: [idempotency.conflicting-body]\nneeds: { second: { player: same } }\nsteps: [{ bet: , as: a }, { balance: }, { together: [{ win: { round: a }, as: paid, expect: either }, { win: { session: second, round: a, txID: "${paid.txID}" }, expect: either }] }, { balance: }]',
    );
    const run = await ran(url, [race], { deadlineMs: 1000, raceRounds: 1 }, sessions);
    const moving = calls.filter(({ call }) => call !== 'balance');
    const sent = moving.map(
      ({ call, fields }) => `${call} ${textOf(fields?.amount)} from ${textOf(fields?.sessionID)}`,
    );
    const [bet, ...wins] = sent;
    expect(bet).toBe('bet 1.00 from s1');
    expect(wins.slice(0, 2).sort()).toEqual(['win 1.00 from s1', 'win 1.00 from s2']);
    expect(wins.slice(2)).toEqual(['win 0 from s1']);
    expect(moving.at(-1)?.fields?.roundID).toBe(moving[0]?.fields?.roundID);
    expect(run.findings()).toEqual([]);
  });

  it('a round of which one bet was refunded is completed because of its other bet', async () => {
    const { calls } = await played(
      'rules: [refund.one-of-many]\nsteps: [{ bet: , as: a }, { bet: { round: a }, as: b }, { refund: { of: b } }, { balance: }]',
    );
    expect(calls).toEqual(['bet 1.00 in 1', 'bet 1.00 in 1', 'refund 1.00 in 1', 'win 1.00 in 1']);
  });

  it('a refused bet that is accepted when it is sent again begins a round', async () => {
    const { calls } = await played(
      'rules: [signature.mismatch]\nsteps: [{ bet: }, { bet: , as: bad, sign: garbage, expect: refused }, { resend: bad, sign: valid }, { balance: }]',
    );
    expect(calls).toEqual(['bet 1.00 in 1', 'win 0 in 1', 'bet 1.00 in 2', 'bet 1.00 in 2', 'win 2.00 in 2']);
  });

  it('a free round is completed with a free win of 0 that names its campaign', async () => {
    const { url, calls } = await operatorServer();
    const free = scenarioOf(
      'free-rounds/bet',
      'rules: [free-rounds.bet]\nsteps: [{ bet: { type: free } }, { balance: }]',
    );
    await ran(url, [free], { campaign: 'summer' });
    const win = calls.find(({ call }) => call === 'win');
    expect(win?.fields).toMatchObject({ amount: '0', type: 'free', frID: 'summer' });
  });

  it('only rounds of the same session are completed before a bet', async () => {
    const { calls } = await played(
      'rules: [bet.debit]\nneeds: { other: { player: other } }\nsteps: [{ bet: }, { bet: { session: other, amount: "2.00" } }, { balance: }, { balance: { session: other } }]',
    );
    expect(calls.slice(0, 2)).toEqual(['bet 1.00 in 1', 'bet 2.00 in 2']);
    expect(calls.slice(2).sort()).toEqual(['win 1.00 in 1', 'win 2.00 in 2']);
  });

  it('each bet of a repeated step is completed before the next', async () => {
    const { calls } = await played('rules: [bet.debit]\nsteps: [{ bet: , times: 3 }, { balance: }]');
    expect(calls).toEqual([
      'bet 1.00 in 1',
      'win 0 in 1',
      'bet 1.00 in 2',
      'win 0 in 2',
      'bet 1.00 in 3',
      'win 3.00 in 3',
    ]);
  });

  it('the rounds of a race are completed before the race is repeated', async () => {
    const { url, calls } = await operatorServer();
    const race = scenarioOf(
      'concurrency/race',
      'rules: [concurrency.no-lost-update]\nsteps: [{ together: [{ bet: , times: 3 }] }, { balance: }]',
    );
    await ran(url, [race], { deadlineMs: 4000, raceRounds: 2 });
    const kinds = calls.filter(({ call }) => call !== 'balance').map(({ call }) => call);
    expect(kinds).toEqual([
      ...Array<string>(3).fill('bet'),
      ...Array<string>(3).fill('win'),
      ...Array<string>(3).fill('bet'),
      ...Array<string>(3).fill('win'),
    ]);
  });

  it('a scenario about overlapping rounds completes them only at its end', async () => {
    const { calls } = await played(
      'rules: [bet.debit]\nrounds: overlapping\nsteps: [{ bet: }, { bet: { amount: "2.00" } }, { balance: }]',
    );
    expect(calls).toEqual(['bet 1.00 in 1', 'bet 2.00 in 2', 'win 0 in 1', 'win 3.00 in 2']);
  });
});

it('a scenario about unfinished rounds leaves them open, and restores the balance with another round', async () => {
  const { calls, wallet } = await played('rules: [bet.debit]\nrounds: unfinished\nsteps: [{ bet: }, { balance: }]');
  expect(calls).toEqual(['bet 1.00 in 1', 'bet 1.00 in 2', 'win 2.00 in 2']);
  expect(wallet.balance().format(2)).toBe('100.00');
});

describe('an operator that treats the added wins wrongly', () => {
  const BETS = 'rules: [bet.debit]\nsteps: [{ bet: }, { balance: }, { bet: { amount: "3.00" } }, { balance: }]';

  it('is accused of win.zero alone if a win of 0 moves money', async () => {
    const { run } = await played(BETS, ({ call, fields }, tell, wallet) => {
      const told = tell();
      if (call !== 'win' || fields?.amount !== '0') return told;
      wallet.move('0.75');
      return wallet.ok();
    });
    expect(run.findings().map(({ rule, verdict }) => `${verdict} ${rule}`)).toEqual(['fail win.zero']);
  });

  it('is accused of nothing if it declines them, because another scenario tests that', async () => {
    const { run, wallet } = await played(BETS, ({ call, fields }, tell) =>
      call === 'win' && fields?.amount === '0' ? error(400, 'No win') : tell(),
    );
    expect(run.findings()).toEqual([]);
    expect(run.scenario('bet/rounds').verdict).toBe('pass');
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('sends few wins if none is answered in time, however many rounds there are', async () => {
    const { run } = await played(
      'rules: [bet.debit]\nsteps: [{ bet: , times: 9 }, { balance: }]',
      ({ call, fields }, tell) => (call === 'win' && fields?.amount === '0' ? new Promise(() => {}) : tell()),
    );
    const ends = run.events.filter((event) => event.event === 'sending' && event.amount === '0');
    expect(ends.length).toBe(3);
    expect(run.findings()).toEqual([]);
  });
});
