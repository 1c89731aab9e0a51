import { describe, expect, it } from 'vitest';
import type { CallSelection } from '../../../src/traffic/call-selection.ts';
import type { LoggedExchange } from '../../../src/traffic/logged-exchange.ts';
import { CallCollector, type GatheredCalls, gatherCalls, MAX_CALLS } from '../../../src/traffic/read/gather.ts';
import { logForm } from '../../../src/traffic/read/logs/log-form.ts';
import { MAX_SENT_BODIES } from '../../../src/traffic/read/sent-bodies.ts';
import { unreadClauses } from '../../../src/traffic/read/unread.ts';
import { inPieces } from './entries-in.ts';

function line(session: string, txID: string, more: object = {}): string {
  const requestBody = JSON.stringify({
    amount: '5.00',
    roundID: `r-${txID}`,
    sessionID: session,
    txID,
    type: 'regular',
  });
  const call = { time: '2026-11-23T13:03:07.123Z', method: 'POST', url: '/eu/bet', requestBody, status: 200, ...more };
  return `${JSON.stringify(call)}\n`;
}

async function gathered(text: string, selection: CallSelection): Promise<GatheredCalls> {
  const source = { file: 'f', side: null, form: logForm(), open: () => inPieces(text, 4096) };
  return await gatherCalls([source], selection, new Map(), new Map());
}

function ids({ calls }: GatheredCalls): readonly (string | null)[] {
  return calls.map(({ txID }) => txID);
}

describe('the calls of a selection', () => {
  const OTHERS = Array.from({ length: 20 }, (_, index) => line(`s-${100 + index}`, `other-${index}`)).join('');

  it('are found among the calls of others, which are counted', async () => {
    const found = await gathered(`${OTHERS}${line('s-1', 't-1')}${OTHERS}${line('s-1', 't-2')}`, { session: 's-1' });
    expect([ids(found), found.total]).toEqual([['t-1', 't-2'], 42]);
  });

  it('have all sessions of the player, also those in which the player is not named', async () => {
    const text = `${line('s-1', 't-1', { player: '4711' })}${OTHERS}${line('s-2', 't-2', { player: '4711' })}${line('s-2', 't-3')}`;
    expect(ids(await gathered(text, { round: 'r-t-1' }))).toEqual(['t-1', 't-2', 't-3']);
    expect(ids(await gathered(text, { player: '4711' }))).toEqual(['t-1', 't-2', 't-3']);
  });

  it('keep calls with a masked session, which may belong to the player', async () => {
    const masked = line('***', 't-1');
    expect(ids(await gathered(`${masked}${OTHERS}${line('s-1', 't-1')}`, { tx: 't-1' }))).toEqual(['t-1', 't-1']);
  });

  it('are found in a journal, whose first line names no call', async () => {
    const head = '{"event":"run-started","format":"croupier-journal/9"}\n';
    const found = await gathered(`${OTHERS}${head}${line('s-1', 't-1')}`, { session: 's-1' });
    expect(found.unreadable.map(({ why }) => why)).toEqual([
      'the journal is in the format "croupier-journal/9", but this croupier reads croupier-journal/1',
    ]);
  });

  it('are found by an id with characters that JSON escapes', async () => {
    expect(ids(await gathered(`${OTHERS}${line('s "1"', 't-1')}`, { session: 's "1"' }))).toEqual(['t-1']);
  });
});

describe('calls that name nobody', () => {
  it('are counted if there are too many to keep, and make each verdict unknown', () => {
    const collector = new CallCollector(null);
    const exchange = { ...JSON.parse(EXCHANGE), logged: { call: 'bet' } } as LoggedExchange;
    for (let index = 0; index < MAX_CALLS + 2; index += 1)
      collector.add({ kind: 'exchange', exchange }, 'f', new Map());
    const found = collector.result();
    expect([found.lostOwnerless, found.total]).toEqual([2, MAX_CALLS + 2]);
    expect(unreadClauses(found)).toEqual([
      '2 calls name no player and no session, and the logs have more such calls than croupier keeps, so they were left out',
    ]);
  });
});

describe('entries that have only the body of a call', () => {
  const SENT = MAX_SENT_BODIES + 2;
  const noted = (collector: CallCollector, txID: string): void =>
    void collector.add({ kind: 'other', line: 1, sent: { sessionID: 's-1', txID } }, 'f', new Map());
  const called = (collector: CallCollector, txID: string): void => {
    const exchange = { ...JSON.parse(EXCHANGE), logged: { call: 'bet', session: 's-1', tx: txID } } as LoggedExchange;
    collector.add({ kind: 'exchange', exchange }, 'f', new Map());
  };

  it('are counted if there are too many to keep, and make each verdict unknown', () => {
    const collector = new CallCollector('nobody');
    for (let index = 0; index < SENT; index += 1) noted(collector, `t-${index}`);
    expect(unreadClauses(collector.result()).slice(1)).toEqual([
      '2 entries have the body of a call but not its other fields, and the logs have more such entries than croupier keeps, so they were left out',
    ]);
  });

  it.each(['before', 'after'])('need no mention if each comes directly %s its call', (order) => {
    const collector = new CallCollector('nobody');
    for (let index = 0; index < SENT; index += 1) {
      if (order === 'before') noted(collector, `t-${index}`);
      called(collector, `t-${index}`);
      if (order === 'after') noted(collector, `t-${index}`);
    }
    // The first call is not remembered, because no body came before it.
    collector.markShown({ txID: 't-0' });
    expect(unreadClauses(collector.result())).toEqual([]);
  });
});

const EXCHANGE = JSON.stringify({
  place: { file: 'f', line: 1 },
  side: 'operator',
  time: null,
  tookMs: null,
  request: { method: 'POST', url: '/bet', headers: null, body: 'unknown' },
  answer: { kind: 'unknown' },
});
