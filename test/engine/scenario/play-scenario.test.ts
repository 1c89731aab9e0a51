import { describe, expect, it } from 'vitest';
import type { Money } from '../../../src/contract/money.ts';
import type { JournalEvent, Raced } from '../../../src/journal/event.ts';
import { operatorServer, P1, ran, scenarioOf } from '../operator-server.ts';

const RACE = scenarioOf(
  'concurrency/race',
  'rules: [concurrency.no-lost-update]\nsteps: [{ bet: , as: a }, { balance: }, { together: [{ bet: , times: 3 }, { win: { round: a, amount: "5.00" } }] }, { balance: }]',
);
/** A high deadline, so that a busy machine does not break it. */
const PATIENT = { deadlineMs: 4000 };
/** The number of calls of one repetition that move money. */
const MOVES = 5;

const racesOf = (events: readonly JournalEvent[]): readonly Raced[] => events.filter((event) => event.event === 'race');

const txIDsOf = (events: readonly JournalEvent[]): readonly string[] =>
  events.flatMap((event) => {
    const txID = event.event === 'sending' && /"txID":"([^"]+)"/.exec(event.request.body?.data ?? '')?.[1];
    return txID ? [txID] : [];
  });

describe('a scenario with a race', () => {
  it('a race is repeated the given number of times with new ids, and the balance is restored', async () => {
    const { url, wallet } = await operatorServer();
    const run = await ran(url, [RACE], { ...PATIENT, raceRounds: 5 });
    expect(racesOf(run.events).map(({ round }) => round)).toEqual([1, 2, 3, 4, 5]);
    const txIDs = txIDsOf(run.events);
    expect(new Set(txIDs).size).toBe(txIDs.length);
    expect(txIDs.length).toBeGreaterThanOrEqual(5 * MOVES);
    expect(run.verdict('concurrency.no-lost-update')).toBe('pass');
    expect(run.scenario('concurrency/race')).toMatchObject({ verdict: 'pass', restored: null });
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('a race is repeated a few times by default', async () => {
    const { url } = await operatorServer();
    const run = await ran(url, [RACE], PATIENT);
    const rounds = racesOf(run.events).length;
    expect(rounds).toBeGreaterThanOrEqual(2);
    expect(rounds).toBeLessThanOrEqual(12);
  });

  it('a race that has found a problem is not repeated', async () => {
    let moves = 0;
    const { url } = await operatorServer(({ call, fields }, tell, wallet) => {
      if ((call !== 'bet' && call !== 'win') || fields?.amount === '0') return tell();
      moves += 1;
      // The last call of the third repetition is carried out, and its reply is lost.
      return moves === 3 * MOVES ? wallet.ok() : tell();
    });
    const run = await ran(url, [RACE], { ...PATIENT, raceRounds: 9 });
    expect(racesOf(run.events)).toHaveLength(3);
    expect(run.verdict('concurrency.no-lost-update')).toBe('fail');
    const [found] = run.findings('concurrency.no-lost-update').filter(({ verdict }) => verdict === 'fail');
    expect(racesOf(run.events)[2]?.exchanges).toContain(found?.exchange);
  });

  it('the journal holds which calls raced, when they were released, and how many overlapped', async () => {
    const { url } = await operatorServer();
    const run = await ran(url, [RACE], { ...PATIENT, raceRounds: 2 });
    for (const { exchanges, barrier, overlapped, staggerMs, attempt } of racesOf(run.events)) {
      const sent = run.events.flatMap((event) =>
        event.event === 'received' && exchanges.includes(event.id) ? [event.stamps.sent ?? Number.NaN] : [],
      );
      expect({ calls: sent.length, overlapped, staggerMs, attempt }).toEqual({
        calls: 4,
        overlapped: 4,
        staggerMs: 0,
        attempt: 1,
      });
      expect(Math.min(...sent)).toBeGreaterThanOrEqual(barrier);
    }
  });

  it('findings of earlier repetitions stay if the operator declines a later repetition', async () => {
    let moves = 0;
    const { url } = await operatorServer(({ call }, tell) => {
      if (call === 'balance') return tell();
      moves += 1;
      return moves > 2 * MOVES ? { status: 429, body: { message: 'Later' } } : tell();
    });
    const run = await ran(url, [RACE], { ...PATIENT, raceRounds: 6 });
    expect(run.verdict('concurrency.no-lost-update')).toBe('pass');
    expect(racesOf(run.events)).toHaveLength(2);
  });
});

it('a scenario without a race is played once', async () => {
  const { url, calls } = await operatorServer();
  await ran(url, [scenarioOf('bet/debit', 'rules: [bet.debit]\nsteps: [{ bet: { amount: "3.00" } }, { balance: }]')], {
    raceRounds: 5,
  });
  expect(calls.filter(({ call, fields }) => call === 'bet' && fields?.amount === '3.00')).toHaveLength(1);
});

describe('the same txID in two sessions of a player at once', () => {
  const SESSIONS = [P1, { ...P1, sessionID: 's1b', gameID: 'swipe' }];
  const TWICE = scenarioOf(
    'idempotency/two-sessions',
    'rules: [idempotency.conflicting-body]\nneeds: { second: { player: same } }\nsteps: [{ bet: , as: opened }, { balance: }, { together: [{ bet: { round: opened, amount: "2.00" }, as: raced, expect: either }, { bet: { session: second, round: opened, amount: "2.00", txID: "${raced.txID}" }, expect: either }] }, { balance: }]',
  );

  it('a second bet with the same txID in another session may be refused', async () => {
    const { url } = await operatorServer(undefined, { sessions: SESSIONS });
    const run = await ran(url, [TWICE], { ...PATIENT, raceRounds: 2 }, SESSIONS);
    expect(run.verdict('idempotency.conflicting-body')).toBe('pass');
    expect(run.findings().filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  });

  it('a second effect in the other session is a warning, because the service sends no call in two sessions', async () => {
    const { url } = await operatorServer(
      ({ fields }, tell, wallet) => {
        if (fields?.sessionID !== 's1b' || fields.amount !== '2.00') return tell();
        wallet.move('-2.00');
        return wallet.ok();
      },
      { sessions: SESSIONS },
    );
    const run = await ran(url, [TWICE], { ...PATIENT, raceRounds: 2 }, SESSIONS);
    const [warning, ...others] = run.findings().filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
    expect(others).toEqual([]);
    expect(warning).toMatchObject({
      rule: 'idempotency.conflicting-body',
      verdict: 'warn',
      actual: expect.stringContaining('as if the wallet looks up repeated calls by session and txID') as string,
    });
  });
});

it('a balance that old reads show as too low is not raised', async () => {
  let before: Money | undefined;
  const { url } = await operatorServer(({ call }, tell, toy) => {
    if (call === 'balance') return { ...tell(), body: { balance: (before ?? toy.balance()).format(2) } };
    before = toy.balance();
    return tell();
  });
  const steps = ['1.00', '2.00', '3.00', '4.00', '5.00', '85.00']
    .map((amount) => `{ bet: { amount: "${amount}" } }, { balance: }, { refund: }, { balance: }`)
    .join(', ');
  const run = await ran(
    url,
    [
      scenarioOf('refund/old', `rules: [refund.restore]\nsteps: [${steps}]`),
      scenarioOf(
        'bet/debit',
        'rules: [bet.debit]\nneeds: { balance: "50.00" }\nsteps: [{ bet: }, { balance: }, { win: { amount: "1.00" } }]',
      ),
    ],
    { workers: 1 },
  );
  const prepared = run.events.filter((event) => event.event === 'sending' && event.purpose === 'prepare');
  const played = run.events.filter((event) => event.event === 'sending' && event.scenario === 'bet/debit');
  expect([prepared.length, played.length > 3]).toEqual([0, true]);
  expect(run.verdict('balance.read')).toBe('fail');
});
