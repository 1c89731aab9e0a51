import { describe, expect, it } from 'vitest';
import { AfterRun } from '../../../src/engine/after/after-run.ts';
import { signedBy } from '../../../src/engine/after/past-call.ts';
import { type Settled, settleRun } from '../../../src/engine/after/settle.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { type Behaviour, KEY, operatorServer, P1, ran, scenarioOf } from '../operator-server.ts';

const BET = scenarioOf(
  'bet/plain',
  'rules: [bet.debit]\nsteps: [{ bet: { amount: "7.00" } }, { win: { amount: "3.00" } }, { balance: }]',
);

const WIN_AFTER_REFUND = scenarioOf(
  'win/after-refund',
  `rules: [win.after-refund]
steps:
  - { bet: { amount: "7.00" }, as: given-back }
  - refund: { of: given-back }
  - balance:
  - win: { round: given-back, amount: "3.00" }
    expect: either
  - balance:`,
);

interface Cut {
  /** The scenario that is played. By default, a bet and its win. */
  readonly scenario?: typeof BET;
  /** Cuts the journal before the answer to the first call of this kind. */
  readonly call: 'bet' | 'win';
  /** The behaviour of the operator after the run. */
  readonly afterwards?: Behaviour;
  /** Changes the balance between run and settlement. */
  readonly change?: string;
  readonly timeMs?: number;
}

/** Plays one scenario, cuts its journal as a kill does, and settles the run. */
async function settled({ scenario = BET, call, afterwards, change, timeMs = 2000 }: Cut) {
  let isOver = false;
  const operator = await operatorServer((called, tell, wallet) =>
    isOver && afterwards ? afterwards(called, tell, wallet) : tell(),
  );
  const { events } = await ran(operator.url, [scenario]);
  const sending = events.findIndex((event) => event.event === 'sending' && event.call === call);
  // The wallet must be as it was when the journal ends, so the later calls of the run never happened.
  const fresh = await operatorServer((called, tell, wallet) =>
    isOver && afterwards ? afterwards(called, tell, wallet) : tell(),
  );
  const kept = events.slice(0, sending + 1);
  for (const event of kept)
    if (event.event === 'sending') {
      const { url, method, headers, body } = event.request;
      await fetch(url.replace(operator.url, fresh.url), {
        method,
        headers: Object.fromEntries(headers.filter(([name]) => !/^(?:host|content-length|connection)$/i.test(name))),
        ...(body && { body: Buffer.from(body.data, body.encoding) }),
      });
    }
  isOver = true;
  if (change !== undefined) fresh.wallet.move(change);
  const sentBefore = fresh.calls.length;
  const afterRun = new AfterRun({ signedRight: signedBy(KEY) });
  for (const event of kept) afterRun.add(event);
  const unanswered = afterRun.giveUp('the run was killed');
  const journal: JournalEvent[] = [];
  const items: readonly Settled[] = await settleRun({
    client: {
      extCID: 'acme',
      integratorBaseUrl: fresh.url,
      integrationApiKey: KEY,
      paths: {},
      headers: {},
      sessions: [P1],
      wire: {},
    },
    afterRun,
    unanswered,
    stakes: {},
    decimals: {},
    deadlineMs: 2000,
    lingerMs: 20,
    timeMs,
    ratePerSecond: null,
    maxAtOnce: 4,
    record: (event) => journal.push(event),
    signal: new AbortController().signal,
    uuid: () => crypto.randomUUID(),
    now: () => performance.now(),
  });
  return { items, journal, wallet: fresh.wallet, calls: fresh.calls.slice(sentBefore) };
}

describe('settling a run', () => {
  it('a bet without an answer is refunded with its own amount, and then a read shows the right balance', async () => {
    const { items, wallet, calls } = await settled({ call: 'bet' });
    expect(calls.find(({ call }) => call === 'refund')?.fields).toMatchObject({ amount: '7.00' });
    expect(items).toMatchObject([
      { item: { kind: 'refund' }, done: true, tries: 1, status: 200, reason: null },
      { item: { kind: 'balance' }, done: true, reason: null },
    ]);
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('a refund is repeated with the same txID until the operator is no longer busy', async () => {
    let refunds = 0;
    const { items, calls } = await settled({
      call: 'bet',
      afterwards: ({ call }, tell) => {
        if (call === 'refund') refunds += 1;
        return call === 'refund' && refunds < 3 ? { status: 503, body: { message: 'Busy' } } : tell();
      },
    });
    const txIDs = calls.flatMap(({ call, fields }) => (call === 'refund' ? [fields?.txID] : []));
    expect(txIDs).toHaveLength(3);
    expect(new Set(txIDs).size).toBe(1);
    expect(items[0]).toMatchObject({ done: true, tries: 3 });
  });

  it('a refund that the operator refuses for good is given up, and its answer is the reason', async () => {
    const { items, journal } = await settled({
      call: 'bet',
      afterwards: ({ call }, tell) => (call === 'refund' ? { status: 400, body: { message: 'No' } } : tell()),
    });
    expect(items).toMatchObject([
      { item: { kind: 'refund' }, done: false, status: 400, reason: 'it was answered 400' },
      { item: { kind: 'balance' }, done: false, reason: 'it was not tried' },
    ]);
    expect(journal).not.toContainEqual(expect.objectContaining({ event: 'notice' }));
  });

  it('a win without an answer is sent again unchanged, and then the balance is restored', async () => {
    const { items, wallet, calls } = await settled({ call: 'win' });
    expect(calls[0]).toMatchObject({ call: 'win', fields: { amount: '3.00' } });
    expect(items).toMatchObject([
      { item: { kind: 'again' }, done: true },
      { item: { kind: 'balance' }, done: true },
    ]);
    expect(items[1]?.missing?.format(2)).toBe('4.00');
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it.each([409, 404])(
    'a win after the refund of its bet is not owed if the operator declines it with %i',
    async (status) => {
      const { items, wallet, calls } = await settled({
        scenario: WIN_AFTER_REFUND,
        call: 'win',
        afterwards: ({ call, fields }, tell) =>
          call === 'win' && fields?.amount === '3.00' ? { status, body: { message: 'Round is over' } } : tell(),
      });
      expect(calls.filter(({ call, fields }) => call === 'win' && fields?.amount === '3.00')).toHaveLength(1);
      expect(items[0]).toMatchObject({ item: { kind: 'again' }, done: true, status, reason: null });
      expect(items.every(({ done }) => done)).toBe(true);
      expect(wallet.balance().format(2)).toBe('100.00');
    },
  );

  it('a win of an accepted bet stays owed if the operator declines it', async () => {
    const { items } = await settled({
      call: 'win',
      afterwards: ({ call }, tell) => (call === 'win' ? { status: 404, body: { message: 'No' } } : tell()),
    });
    expect(items[0]).toMatchObject({ item: { kind: 'again' }, done: false, reason: 'it was answered 404' });
  });

  it('a balance is restored although the operator refuses the first four bets for it', async () => {
    let bets = 0;
    const { items, wallet } = await settled({
      call: 'win',
      timeMs: 20_000,
      afterwards: ({ call }, tell) => {
        if (call === 'bet') bets += 1;
        return call === 'bet' && bets <= 4 ? { status: 400, body: { message: 'No' } } : tell();
      },
    });
    expect(items.find(({ item }) => item.kind === 'balance')).toMatchObject({ done: true, reason: null });
    expect(wallet.balance().format(2)).toBe('100.00');
  });

  it('a balance that somebody else has changed is not restored, and the reason is given', async () => {
    const { items, wallet } = await settled({ call: 'bet', change: '11.00' });
    expect(items.at(-1)).toMatchObject({ item: { kind: 'balance' }, done: false });
    expect(items.at(-1)?.reason).toContain('somebody else has changed it');
    expect(wallet.balance().format(2)).toBe('111.00');
  });

  it('no further attempt begins when the time for settling is over', async () => {
    const { items } = await settled({
      call: 'bet',
      timeMs: 0,
      afterwards: ({ call }, tell) => (call === 'refund' ? { status: 503, body: { message: 'Busy' } } : tell()),
    });
    expect(items[0]).toMatchObject({ done: false, tries: 1, reason: 'it was answered 503' });
  });
});
