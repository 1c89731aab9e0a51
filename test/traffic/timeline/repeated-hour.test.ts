import { describe, expect, it } from 'vitest';
import type { Side } from '../../../src/traffic/logged-exchange.ts';
import { gatherCalls } from '../../../src/traffic/read/gather.ts';
import { logForm } from '../../../src/traffic/read/logs/log-form.ts';
import { buildTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { inPieces } from '../read/entries-in.ts';

interface File {
  readonly name: string;
  readonly side?: Side;
  readonly lines: readonly string[];
}

/** The timeline of logs whose times are of Berlin, in the night in which the clocks are set back from 03:00 to 02:00. */
async function timelineOf(...files: readonly File[]) {
  const form = logForm({ zone: 'Europe/Berlin' });
  const sources = files.map(({ name, side = 'operator' as const, lines }) => ({
    file: name,
    side,
    form,
    open: () => inPieces(`${lines.join('\n')}\n`, 4096),
  }));
  const { calls } = await gatherCalls(sources, {}, new Map(), new Map());
  const timeline = buildTimeline(calls, {}, new Map());
  return {
    status: timeline.status,
    unknowns: timeline.wallets.flatMap(({ unknowns }) => unknowns),
    notes: timeline.notes,
    order: timeline.calls.map(({ seen, atMs }) => [
      seen.txID ?? seen.call,
      atMs === null ? null : new Date(atMs).toISOString().slice(11, 16),
    ]),
  };
}

const line = (time: string, call: string, balance: string, fields: object = {}): string =>
  JSON.stringify({
    time: time.length < 9 ? `2026-10-25 ${time}` : time,
    method: call === 'balance' ? 'GET' : 'POST',
    url: `/eu/${call}${call === 'balance' ? '?sessionID=s-1' : ''}`,
    ...(call !== 'balance' && { requestBody: { sessionID: 's-1', roundID: 'r-1', type: 'regular', ...fields } }),
    status: 200,
    durationMs: 20,
    responseBody: call === 'balance' ? { balance } : { balance, txID: `o-${balance}` },
  });
const read = (time: string, balance: string): string => line(time, 'balance', balance);
const bet = (time: string, balance: string): string => line(time, 'bet', balance, { txID: 't-1', amount: '5.00' });
const win = (time: string, balance: string): string => line(time, 'win', balance, { txID: 't-2', amount: '8.00' });

describe('local times in the hour that occurs twice', () => {
  it('are of the second hour after the step back in the lines', async () => {
    const lines = [
      read('02:50:00', '100.00'),
      bet('02:55:00', '95.00'),
      win('02:05:00', '103.00'),
      read('03:01:00', '103.00'),
    ];
    expect(await timelineOf({ name: 'a.log', lines })).toEqual({
      status: 0,
      unknowns: [],
      notes: [],
      order: [
        ['balance', '00:50'],
        ['t-1', '00:55'],
        ['t-2', '01:05'],
        ['balance', '02:01'],
      ],
    });
  });

  it('are of the second hour after the step back if the balances follow from each other in this order only', async () => {
    const lines = [
      read('02:58:10', '100.00'),
      bet('02:59:30', '95.00'),
      win('02:00:05', '103.00'),
      read('02:01:00', '103.00'),
    ];
    const expected = [
      ['balance', '00:58'],
      ['t-1', '00:59'],
      ['t-2', '01:00'],
      ['balance', '01:01'],
    ];
    const forwards = await timelineOf({ name: 'a.log', lines });
    expect([forwards.status, forwards.order]).toEqual([0, expected]);
    const backwards = await timelineOf({ name: 'a.log', lines: lines.toReversed() });
    expect([backwards.status, backwards.order]).toEqual([0, expected]);
    const contradicting = await timelineOf({ name: 'a.log', lines: lines.with(1, bet('02:59:30', '94.00')) });
    expect(contradicting.status).toBe(3);
  });

  it('are of the first hour before the step forward in a log that begins with the newest entry', async () => {
    const lines = [
      read('03:01:00', '103.00'),
      win('02:05:00', '103.00'),
      bet('02:55:00', '95.00'),
      read('01:50:00', '100.00'),
    ];
    const { status, order } = await timelineOf({ name: 'a.log', lines });
    expect(order.map(([, at]) => at)).toEqual(['23:50', '00:55', '01:05', '02:01']);
    expect(status).toBe(0);
  });

  it('are known if the bets of two rounds come before their wins, in a log of four lines', async () => {
    const of = (time: string, call: string, balance: string, n: string): string =>
      line(time, call, balance, { txID: `${call}-${n}`, roundID: `r-${n}`, amount: call === 'bet' ? '5.00' : '8.00' });
    const lines = [
      of('02:59:50', 'bet', '95.00', '1'),
      of('02:59:55', 'win', '103.00', '1'),
      of('02:00:05', 'bet', '98.00', '2'),
      of('02:00:09', 'win', '106.00', '2'),
    ];
    for (const written of [lines, lines.toReversed()]) {
      const { status, order } = await timelineOf({ name: 'a.log', lines: written });
      expect([status, order.map(([, at]) => at)]).toEqual([0, ['00:59', '00:59', '01:00', '01:00']]);
    }
  });

  it('keep the order of the lines if nothing shows the hour, and a note says so', async () => {
    const lines = [read('01:50:00', '100.00'), bet('02:10:00', '95.00'), win('02:20:00', '103.00')];
    const { status, order, notes } = await timelineOf({ name: 'a.log', lines });
    expect(order.map(([call]) => call)).toEqual(['balance', 't-1', 't-2']);
    expect(notes).toEqual([
      'The time of a.log:2 and of 1 more line is in the hour that occurs twice when the clocks are set back in autumn. croupier shows the first of the two hours. The order of the calls is correct in any case.',
    ]);
    expect(status).toBe(0);
  });

  it('leave the result unknown if another log has calls in the two hours', async () => {
    const { status, unknowns } = await timelineOf(
      { name: 'a.log', lines: [read('01:50:00', '100.00'), bet('02:10:00', '95.00')] },
      { name: 'b.log', lines: [win('2026-10-25T00:40:00Z', '103.00')] },
    );
    expect(unknowns).toContain(
      'the time of a.log:2 is in the hour that occurs twice when the clocks are set back, and the logs do not show which of the two hours it is. Times with an offset, such as +02:00, would show it',
    );
    expect(status).toBe(3);
  });

  it('leave the result unknown if the lines step back twice', async () => {
    const lines = [
      read('02:40:00', '100.00'),
      bet('02:05:00', '95.00'),
      win('02:50:00', '103.00'),
      read('02:10:00', '103.00'),
    ];
    const { status, unknowns } = await timelineOf({ name: 'a.log', lines });
    expect(unknowns.join()).toContain('a.log:1 and of 3 more lines');
    expect(status).toBe(3);
  });

  it('leave the result unknown if no line shows which end of the log is the newest', async () => {
    const lines = [read('02:50:00', '100.00'), bet('02:10:00', '94.00'), win('02:40:00', '103.00')];
    const { status, unknowns } = await timelineOf({ name: 'a.log', lines });
    expect(unknowns.join()).toContain('a.log:1 and of 2 more lines');
    expect(status).toBe(3);
  });

  it('are known from the same call in the log of the other side', async () => {
    const service = [bet('2026-10-25T01:10:00.000Z', '95.00'), win('2026-10-25T01:20:00.000Z', '103.00')];
    const { status, order, notes } = await timelineOf(
      { name: 'service.log', side: 'service', lines: service },
      {
        name: 'a.log',
        lines: [
          read('02:00:10', '100.00'),
          bet('02:10:00', '95.00'),
          win('02:20:00', '103.00'),
          read('02:30:00', '103.00'),
        ],
      },
    );
    expect(order.map(([, at]) => at)).toEqual(['00:00', '01:10', '01:20', '01:30']);
    expect(notes).toHaveLength(1);
    expect(status).toBe(0);
  });

  it('do not make a reply an hour late', async () => {
    const lines = [
      '2026-10-25 02:59:59,900 INFO [exec-1] GET /eu/balance?sessionID=s-1',
      '2026-10-25 03:00:00,100 INFO [exec-1] Response: 200 {"balance":"100.00"}',
    ];
    const { calls } = await gatherCalls(
      [
        {
          file: 'a.log',
          side: 'operator',
          form: logForm({ zone: 'Europe/Berlin' }),
          open: () => inPieces(`${lines.join('\n')}\n`, 4096),
        },
      ],
      {},
      new Map(),
      new Map(),
    );
    expect(calls.map(({ exchange }) => exchange.tookMs)).toEqual([200]);
  });
});
