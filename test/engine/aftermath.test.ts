import { expect, it } from 'vitest';
import { Aftermath } from '../../src/engine/aftermath.ts';
import { everythingDue } from '../../src/engine/due.ts';
import type { RunnableScenario } from '../../src/engine/run-options.ts';
import { signedBy } from '../../src/engine/signed-by.ts';
import type { JournalEvent } from '../../src/journal/event.ts';
import { KEY, type OperatorServer, operatorServer, P1, ran, scenarioOf, type Telling } from './operator-server.ts';

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

/** Every event of a run, and what the player really had when it was written. */
async function recorded(stories: readonly RunnableScenario[], lie?: Telling) {
  const seen: { event: JournalEvent; balance: string }[] = [];
  let server: OperatorServer | undefined;
  server = await operatorServer(lie);
  await ran(server.url, stories, {
    workers: 1,
    record: (event) => seen.push({ event, balance: server?.wallet.balance().toString() ?? '' }),
  });
  return seen;
}

function aftermathOf(events: readonly JournalEvent[]): Aftermath {
  const aftermath = new Aftermath({ signedRight: signedBy(KEY) });
  for (const event of events) aftermath.add(event);
  aftermath.giveUp('it was cut off');
  return aftermath;
}

it('owes nothing after a whole run', async () => {
  const seen = await recorded(STORIES);
  const aftermath = aftermathOf(seen.map(({ event }) => event));
  expect(everythingDue(aftermath)).toEqual([]);
  expect(aftermath.transactions.length).toBeGreaterThan(10);
  expect(aftermath.ended).toBe(true);
});

it('accounts for what the player really has, wherever the journal is cut off', async () => {
  const seen = await recorded(STORIES);
  const wrong: string[] = [];
  for (const [index, { balance }] of seen.entries()) {
    const events = seen.slice(0, index + 1).map(({ event }) => event);
    const reckoning = aftermathOf(events).reckonings[0];
    if (!reckoning) continue;
    expect(reckoning.target.toString()).toBe('100');
    if (!reckoning.possible().some((money) => money.toString() === balance))
      wrong.push(`event ${index}: has ${balance}, accounted for are ${reckoning.possible().map(String).join(', ')}`);
  }
  expect(seen.length).toBeGreaterThan(80);
  expect(wrong).toEqual([]);
});

it('owes the refund of every bet that was under way in a race', async () => {
  const seen = await recorded([STORIES[5] as RunnableScenario]);
  const race = seen.findLastIndex(
    ({ event }) => event.event === 'sending' && event.call === 'bet' && event.purpose === 'step',
  );
  const due = everythingDue(aftermathOf(seen.slice(0, race + 1).map(({ event }) => event)));
  expect(due.map(({ kind }) => kind)).toEqual(['refund', 'refund', 'refund', 'refund', 'balance']);
});

it('owes what the run itself says it owes, also of a story that is over', async () => {
  const seen = await recorded([STORIES[2] as RunnableScenario], ({ call }, tell) => {
    const told = tell();
    return call === 'refund' ? { status: 404, body: { message: 'No such bet' } } : told;
  });
  const due = everythingDue(aftermathOf(seen.map(({ event }) => event)));
  expect(due.map(({ kind }) => kind)).toContain('refund');
});

it('owes no second refund for a bet that was under way after its refund', async () => {
  const seen = await recorded([STORIES[6] as RunnableScenario]);
  const bet = seen.findIndex(
    ({ event }) => event.event === 'sending' && event.call === 'bet' && event.purpose === 'step',
  );
  expect(everythingDue(aftermathOf(seen.slice(0, bet + 1).map(({ event }) => event)))).toEqual([]);
});

it('counts no call whose signature is wrong', async () => {
  const seen = await recorded([STORIES[4] as RunnableScenario]);
  const bad = seen.findLastIndex(
    ({ event }) => event.event === 'sending' && event.call === 'bet' && event.purpose === 'step',
  );
  const aftermath = aftermathOf(seen.slice(0, bad + 1).map(({ event }) => event));
  expect(aftermath.open).toEqual([]);
  expect(everythingDue(aftermath).map(({ kind }) => kind)).toEqual(['balance']);
  expect(P1.sessionID).toBe(aftermath.reckonings[0]?.sessionID);
});
