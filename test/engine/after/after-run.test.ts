import { expect, it } from 'vitest';
import { AfterRun } from '../../../src/engine/after/after-run.ts';
import { openItemsOf } from '../../../src/engine/after/open-items.ts';
import { signedBy } from '../../../src/engine/after/past-call.ts';
import type { RunnableScenario } from '../../../src/engine/run-options.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { type Behaviour, KEY, type OperatorServer, operatorServer, P1, ran, scenarioOf } from '../operator-server.ts';

const STORIES = [
  scenarioOf('bet/plain', 'rules: [bet.debit]\nsteps: [{ bet: }, { win: { amount: "3.00" } }, { balance: }]'),
  scenarioOf(
    'refund/of-one',
    'rules: [refund.restore]\nsteps: [{ bet: { amount: "2.00" } }, { bet: }, { refund: }, { balance: }]',
  ),
  scenarioOf(
    'refund/lost',
    'rules: [refund.broken-connection]\nsteps: [{ bet: { amount: "7.00" }, as: lost, break: sent }, { refund: { of: lost } }, { balance: , after: linger }]',
  ),
  scenarioOf(
    'win/lost',
    'rules: [win.retried]\nsteps: [{ bet: }, { win: { amount: "5.00" }, as: lost, break: sent }, { resend: lost }, { balance: }]',
  ),
  scenarioOf(
    'signature/wrong',
    'rules: [signature.mismatch]\nsteps: [{ bet: }, { balance: }, { bet: { amount: "4.00" }, sign: garbage, expect: refused }, { balance: }]',
  ),
  scenarioOf(
    'concurrency/race',
    'rules: [concurrency.no-lost-update]\nsteps: [{ bet: }, { balance: }, { together: [{ bet: , times: 4 }] }, { balance: }]',
  ),
  scenarioOf(
    'refund/before-bet',
    'rules: [refund.before-bet]\nsteps: [{ refund: { of: late } }, { balance: }, { bet: { amount: "6.00" }, as: late, expect: either }, { balance: }]',
  ),
];

/** Every event of a run, and the player's real balance when it was written. */
async function recorded(scenarios: readonly RunnableScenario[], lie?: Behaviour) {
  const seen: { event: JournalEvent; balance: string }[] = [];
  let server: OperatorServer | undefined;
  server = await operatorServer(lie);
  await ran(server.url, scenarios, {
    workers: 1,
    record: (event) => seen.push({ event, balance: server?.wallet.balance().toString() ?? '' }),
  });
  return seen;
}

function aftermathOf(events: readonly JournalEvent[]): AfterRun {
  const afterRun = new AfterRun({ signedRight: signedBy(KEY) });
  for (const event of events) afterRun.add(event);
  afterRun.giveUp('it was cut off');
  return afterRun;
}

it('a complete run leaves no open item', async () => {
  const seen = await recorded(STORIES);
  const afterRun = aftermathOf(seen.map(({ event }) => event));
  expect(openItemsOf(afterRun)).toEqual([]);
  expect(afterRun.transactions.length).toBeGreaterThan(10);
  expect(afterRun.ended).toBe(true);
});

it('the estimate includes the real balance, wherever the journal is cut off', async () => {
  const seen = await recorded(STORIES);
  const wrong: string[] = [];
  for (const [index, { balance }] of seen.entries()) {
    const events = seen.slice(0, index + 1).map(({ event }) => event);
    const estimate = aftermathOf(events).estimates[0];
    if (!estimate) continue;
    expect(estimate.target.toString()).toBe('100');
    if (!estimate.possible().some((money) => money.toString() === balance))
      wrong.push(`event ${index}: has ${balance}, accounted for are ${estimate.possible().map(String).join(', ')}`);
  }
  expect(seen.length).toBeGreaterThan(80);
  expect(wrong).toEqual([]);
});

it('every bet of a race that was in flight at the end of the journal must be refunded', async () => {
  const seen = await recorded([STORIES[5] as RunnableScenario]);
  const race = seen.findLastIndex(
    ({ event }) => event.event === 'sending' && event.call === 'bet' && event.purpose === 'step',
  );
  const due = openItemsOf(aftermathOf(seen.slice(0, race + 1).map(({ event }) => event)));
  expect(due.map(({ kind }) => kind)).toEqual(['refund', 'refund', 'refund', 'refund', 'balance']);
});

it('a call that is still owed by the journal stays an open item after the end of its scenario', async () => {
  const seen = await recorded([STORIES[2] as RunnableScenario], ({ call }, tell) => {
    const told = tell();
    return call === 'refund' ? { status: 404, body: { message: 'No such bet' } } : told;
  });
  const due = openItemsOf(aftermathOf(seen.map(({ event }) => event)));
  expect(due.map(({ kind }) => kind)).toContain('refund');
});

it.each([
  ['502', 502, ['refund', 'balance']],
  ['503', 503, ['refund', 'balance']],
  ['504', 504, ['refund', 'balance']],
  ['402, a decline', 402, []],
  ['409, which may be about a copy of it', 409, ['refund', 'balance']],
  ['429, which may be about a copy of it', 429, ['refund', 'balance']],
] as const)('a bet that was answered %s leaves these open items: %j', async (_, status, expected) => {
  const seen = await recorded(
    [scenarioOf('bet/either', 'rules: [balance.read]\nsteps: [{ bet: , expect: either }, { balance: }]')],
    ({ call }, tell) => (call === 'bet' ? { status, body: { message: 'Not now' } } : tell()),
  );
  const bet = seen.findIndex(({ event }) => event.event === 'sending' && event.call === 'bet');
  const answer = seen.findIndex(({ event }, index) => index > bet && event.event === 'received');
  const afterRun = aftermathOf(seen.slice(0, answer + 1).map(({ event }) => event));
  expect(openItemsOf(afterRun).map(({ kind }) => kind)).toEqual(expected);
});

it('a win is not owed to the player if its bet was answered 503', async () => {
  const seen = await recorded(
    [
      scenarioOf(
        'win/alone',
        'rules: [win.without-bet]\nsteps: [{ win: { round: new }, expect: either }, { balance: }]',
      ),
    ],
    ({ call }, tell) => (call === 'win' ? { status: 503, body: { message: 'Not now' } } : tell()),
  );
  const win = seen.findIndex(({ event }) => event.event === 'sending' && event.call === 'win');
  const answer = seen.findIndex(({ event }, index) => index > win && event.event === 'received');
  const afterRun = aftermathOf(seen.slice(0, answer + 1).map(({ event }) => event));
  expect(afterRun.open).toEqual([]);
});

it('a bet that was in flight after its refund is not refunded again', async () => {
  const seen = await recorded([STORIES[6] as RunnableScenario]);
  const bet = seen.findIndex(
    ({ event }) => event.event === 'sending' && event.call === 'bet' && event.purpose === 'step',
  );
  expect(openItemsOf(aftermathOf(seen.slice(0, bet + 1).map(({ event }) => event)))).toEqual([]);
});

it('a call with a wrong signature leaves no open item', async () => {
  const seen = await recorded([STORIES[4] as RunnableScenario]);
  const bad = seen.findLastIndex(
    ({ event }) => event.event === 'sending' && event.call === 'bet' && event.purpose === 'step',
  );
  const afterRun = aftermathOf(seen.slice(0, bad + 1).map(({ event }) => event));
  expect(afterRun.open).toEqual([]);
  expect(openItemsOf(afterRun).map(({ kind }) => kind)).toEqual(['balance']);
  expect(P1.sessionID).toBe(afterRun.estimates[0]?.sessionID);
});
