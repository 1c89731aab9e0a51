import { describe, expect, it } from 'vitest';
import type { JournalEvent, Raced, Received } from '../../src/journal/event.ts';
import { findEvidence, timelineOf } from '../../src/report/evidence.ts';
import { eachExchange } from '../../src/report/exchanges.ts';
import { exchange, found, planned, runStarted, started } from '../journal/events.ts';

const [sentA, repliedA] = exchange('a', 'bet/debit');
const [sentB, repliedB] = exchange('b', 'bet/debit');
const [sentC] = exchange('c', 'bet/debit');
const journal = () => [runStarted([planned('bet/debit', [])]), sentA, sentB, repliedB, sentC, repliedA];

const unopened = (): never => {
  throw new Error('opened');
};

const of = (exchange: string | null, scenario = 'bet/debit') => ({ exchange, scenario });

function race(ids: readonly string[]): Raced {
  return {
    event: 'race',
    scenario: 'bet/debit',
    attempt: 1,
    round: 1,
    step: '1',
    exchanges: ids,
    barrier: 1,
    staggerMs: 0,
    overlapped: ids.length,
  };
}

describe('the evidence of findings', () => {
  it('holds the exchanges that findings name, with a null result for those that never ended', async () => {
    const { exchanges } = await findEvidence(journal, [of('b'), of('c'), of('nowhere'), of(null)], []);
    expect([...exchanges.keys()]).toEqual(['b', 'c']);
    expect(exchanges.get('b')?.received).toBe(repliedB);
    expect(exchanges.get('c')?.received).toBeNull();
  });

  it('does not open the journal if there are no findings', async () => {
    expect((await findEvidence(unopened, [], [])).exchanges.size).toBe(0);
  });

  it('holds all calls of a race of which a finding names one, and has a timeline of the race', async () => {
    const evidence = await findEvidence(journal, [of('b')], [race(['a', 'b']), race(['c', 'd'])]);
    expect([...evidence.exchanges.keys()]).toEqual(['a', 'b']);
    const timeline = timelineOf(of('b'), evidence);
    expect(timeline?.calls.map(({ sending }) => sending.id)).toEqual(['a', 'b']);
    expect(timeline?.race?.barrier).toBe(1);
  });

  it('has a timeline from the broken connection to the call that shows the breach', async () => {
    const events = ['before', 'lost', 'refund', 'read', 'later', 'after'].flatMap((id, at): JournalEvent[] => {
      const [sending, received] = exchange(id, 'refund/lost');
      const outcome: Received['outcome'] =
        id === 'lost' ? { kind: 'none', reason: 'broken', detail: '' } : received.outcome;
      const ended = { ...received, outcome, stamps: { ...received.stamps, start: at } };
      const shown = found('refund/lost', 'refund.broken-connection', 'fail', { exchange: 'refund' });
      return id === 'later' ? [sending, shown, ended] : [sending, ended];
    });
    const evidence = await findEvidence(
      () => [started('refund/lost'), ...events],
      [of('refund', 'refund/lost'), of('before', 'refund/lost')],
      [],
    );
    const timeline = timelineOf(of('refund', 'refund/lost'), evidence);
    expect(timeline?.calls.map(({ sending }) => sending.id)).toEqual(['lost', 'refund', 'read', 'later']);
    expect(timeline?.race).toBeNull();
    expect(timelineOf(of('before', 'refund/lost'), evidence)).toBeNull();
  });

  it('has no timeline of an attempt that was replaced by a later one', async () => {
    const [sending, received] = exchange('lost', 'bet/debit');
    const broken = { ...received, outcome: { kind: 'none', reason: 'broken', detail: '' } } as const;
    const evidence = await findEvidence(
      () => [started('bet/debit'), sending, broken, started('bet/debit', 2), sentB, repliedB],
      [of('b')],
      [],
    );
    expect(timelineOf(of('b'), evidence)).toBeNull();
  });

  it('lists each exchange when it ends, and those without an end last', async () => {
    const all: [string, boolean][] = [];
    for await (const { sending, received } of eachExchange(journal)) all.push([sending.id, received !== null]);
    expect(all).toEqual([
      ['b', true],
      ['a', true],
      ['c', false],
    ]);
  });
});
