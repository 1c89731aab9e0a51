import { describe, expect, it } from 'vitest';
import type { JournalEvent, RunStarted } from '../../../src/journal/event.ts';
import { bodyText } from '../../../src/journal/exchange.ts';
import { LineWriter } from '../../../src/journal/load/line-writer.ts';
import { isLoadLine, type LoadLine } from '../../../src/journal/load/lines.ts';
import { readJournal } from '../../../src/journal/read.ts';

const START = {
  event: 'run-started',
  format: 'croupier-journal/1',
  source: 'load',
  client: { extCID: 'acme', integratorBaseUrl: 'https://wallet.example/eu/' },
  settings: { sessions: [{ sessionID: 's 1' }, { sessionID: 's2' }] },
} as unknown as RunStarted;

async function eventsOf(...lines: readonly LoadLine[]): Promise<readonly JournalEvent[]> {
  const text = [START, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
  const events: JournalEvent[] = [];
  for await (const event of readJournal([text])) events.push(event);
  return events.slice(1);
}

describe('the lines of a load test', () => {
  it('stand for the events of their calls and replies', async () => {
    const [bet, reply, copy, lost] = await eventsOf(
      ['s', 1, 5, 1, 'bet', 'tx', 'round', '1.50', null, null],
      ['a', 1, 9, 200, '98.5', 'op-1'],
      ['c', 2, 12, 1],
      ['x', 2, 15, 'too-late'],
    );
    expect(bet).toMatchObject({ event: 'sending', id: 'l1', call: 'bet', amount: '1.50' });
    if (bet?.event !== 'sending' || !bet.request.body) throw new Error('no bet');
    expect(bet.request.url).toBe('https://wallet.example/eu/bet');
    expect(bodyText(bet.request.body)).toBe(
      '{"amount":"1.50","roundID":"round","sessionID":"s2","txID":"tx","type":"regular"}',
    );
    expect(reply).toMatchObject({
      event: 'received',
      id: 'l1',
      outcome: { kind: 'reply', reply: { status: 200 } },
      stamps: { start: 5, end: 9 },
    });
    expect(copy).toMatchObject({ event: 'sending', id: 'l2', request: bet.request });
    expect(lost).toMatchObject({ event: 'received', id: 'l2', outcome: { kind: 'none', reason: 'too-late' } });
  });

  it('stand for balance calls, refunds and free bets too', async () => {
    const events = await eventsOf(
      ['r', 1, 5, 0],
      ['s', 2, 6, 0, 'refund', 'tx', 'round', '1', 'bet-tx', null],
      ['s', 3, 7, 0, 'bet', 'tx2', 'round', '1', null, 'campaign'],
    );
    const requests = events.map((event) => (event.event === 'sending' ? event.request : null));
    expect(requests[0]?.url).toBe('https://wallet.example/eu/balance?sessionID=s%201');
    expect(requests[1]?.body?.data).toContain('"origTxID":"bet-tx"');
    expect(requests[2]?.body?.data).toContain('"frID":"campaign"');
    expect(requests[2]?.body?.data).toContain('"type":"free"');
  });

  it('are written as they are read, whatever the operator has answered', () => {
    const odd = '"\\\n\u2028\ud800é';
    const writer = new LineWriter();
    writer.sending(1, 5, 3, 'bet', 'tx', 'round', '1.50', null, odd);
    writer.sending(2, 6, 0, 'refund', 'tx2', 'round', '1', 'tx', null);
    writer.copy(3, 7, 2);
    writer.read(4, 8, 9);
    writer.reply(4, 9, 200, odd, odd);
    writer.reply(2, 9, 500, null, null);
    writer.noReply(1, 10, 'too-late');
    const written = writer.take().toString().trimEnd().split('\n');
    const values = written.map((line): unknown => JSON.parse(line));
    expect(values).toEqual([
      ['s', 1, 5, 3, 'bet', 'tx', 'round', '1.50', null, odd],
      ['s', 2, 6, 0, 'refund', 'tx2', 'round', '1', 'tx', null],
      ['c', 3, 7, 2],
      ['r', 4, 8, 9],
      ['a', 4, 9, 200, odd, odd],
      ['a', 2, 9, 500, null, null],
      ['x', 1, 10, 'too-late'],
    ]);
    expect(values.every(isLoadLine)).toBe(true);
  });

  it('are written whole, however long their texts and numbers are', () => {
    const writer = new LineWriter();
    const lines: LoadLine[] = [
      ['a', 999, 1000, 200, 'x'.repeat(20_000), '\u0000'.repeat(20_000)],
      ['c', 2_147_483_648, 2_147_483_647, 0],
      ['r', Number.MAX_SAFE_INTEGER, 10, 9],
    ];
    for (const line of lines) {
      if (line[0] === 'a') writer.reply(line[1], line[2], line[3], line[4], line[5]);
      else if (line[0] === 'c') writer.copy(line[1], line[2], line[3]);
      else if (line[0] === 'r') writer.read(line[1], line[2], line[3]);
    }
    expect(writer.take().toString()).toBe(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(writer.take().length).toBe(0);
  });

  it.each([
    [['s', 1, 5, 1, 'balance', 'tx', 'round', '1', null, null]],
    [['s', 1, 5, 1, 'bet', 'tx', 'round', 1, null, null]],
    [['a', 1, 5, 200]],
    [['x', 1, 5, 'boredom']],
    [['toString', 1]],
    [[]],
    [{ event: 'notice' }],
  ])('do not include %j', (value) => {
    expect(isLoadLine(value)).toBe(false);
  });
});
