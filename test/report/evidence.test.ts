import { describe, expect, it } from 'vitest';
import { eachExchange, findExchanges } from '../../src/report/evidence.ts';
import { exchange, planned, runStarted } from '../journal/events.ts';

const [sentA, repliedA] = exchange('a', 'bet/debit');
const [sentB, repliedB] = exchange('b', 'bet/debit');
const [sentC] = exchange('c', 'bet/debit');
const journal = () => [runStarted([planned('bet/debit', [])]), sentA, sentB, repliedB, sentC, repliedA];

const unopened = (): never => {
  throw new Error('opened');
};

describe('evidence', () => {
  it('finds the exchanges that are asked for, and those that never ended as such', async () => {
    const found = await findExchanges(journal, new Set(['b', 'c', 'nowhere']));
    expect([...found.keys()]).toEqual(['b', 'c']);
    expect(found.get('b')?.received).toBe(repliedB);
    expect(found.get('c')?.received).toBeNull();
  });

  it('does not open the journal when nothing is asked for', async () => {
    expect((await findExchanges(unopened, new Set())).size).toBe(0);
  });

  it('gives each exchange when it is over, and the open ones at the end', async () => {
    const all: [string, boolean][] = [];
    for await (const { sending, received } of eachExchange(journal)) all.push([sending.id, received !== null]);
    expect(all).toEqual([
      ['b', true],
      ['a', true],
      ['c', false],
    ]);
  });
});
