import { describe, expect, it } from 'vitest';
import type { Received } from '../../../src/journal/event.ts';
import type { JournalledExchange } from '../../../src/report/exchanges.ts';
import { columnsOf } from '../../../src/report/terminal/layout.ts';
import { timelineLines } from '../../../src/report/terminal/timeline.ts';
import { exchange } from '../../journal/events.ts';
import { OPTIONS } from '../journals.ts';

interface Given {
  readonly step: string;
  readonly start?: number;
  readonly sent: number;
  readonly end: number;
  readonly answer?: string;
  readonly outcome?: Received['outcome'];
}

function call({
  step,
  start = 0,
  sent,
  end,
  answer = '{"balance":"9.00","txID":"op-1"}',
  outcome,
}: Given): JournalledExchange {
  const [sending, received] = exchange(`x${step}`, 'a');
  const body = { encoding: 'utf8', data: '{"amount":"1.00"}', length: 17, truncated: false } as const;
  const reply = { status: 200, headers: [], body: { ...body, data: answer } };
  return {
    sending: { ...sending, step, call: 'bet', request: { ...sending.request, body } },
    received: {
      ...received,
      outcome: outcome ?? { kind: 'reply', reply },
      stamps: { ...received.stamps, start, sent, end },
    },
  };
}

const AT_ONCE = { barrier: 0, staggerMs: 0, overlapped: 2, round: 1 };
const NARROW = { ...OPTIONS, width: 60 };

describe('a timeline', () => {
  const race = [
    call({ step: '2.1', sent: 10, end: 20 }),
    call({ step: '2.2', sent: 10, end: 30 }),
    call({ step: '2.3', sent: 35, end: 50 }),
  ];

  it('shows the calls of a race from the barrier on, with the call of the finding marked', () => {
    expect(
      timelineLines(
        { calls: race, race: { barrier: 10, staggerMs: 0, overlapped: 2, round: 1 } },
        'x2.2',
        4,
        NARROW,
      ).join('\n'),
    ).toBe(`\
    timeline  3 calls sent together (all at once): 2 of them
              overlapped, but not 2.3 bet 1.00
                    0────────────────── 40 ms
      2.1 bet 1.00 │███████                  │ 200 9.00 op-1
    › 2.2 bet 1.00 │█████████████            │ 200 9.00 op-1
      2.3 bet 1.00 │···············██████████│ 200 9.00 op-1`);
  });

  it('can be drawn with ASCII only', () => {
    const lines = timelineLines(
      { calls: race, race: { barrier: 10, staggerMs: 0, overlapped: 2, round: 1 } },
      'x2.2',
      4,
      {
        ...NARROW,
        unicode: false,
      },
    );
    expect(lines.join('\n')).toMatch(/^[ -~\n]*$/);
    expect(lines.at(-1)).toBe('      2.3 bet 1.00 |...............==========| 200 9.00 op-1');
  });

  it('says if no calls overlapped, if the second half was delayed, and which round it was', () => {
    const alone = [call({ step: '1', sent: 0, end: 5 }), call({ step: '2', sent: 6, end: 9 })];
    const race = { barrier: 0, staggerMs: 3, overlapped: 0, round: 4 };
    const text = timelineLines({ calls: alone, race }, null, 4, OPTIONS).join('\n');
    expect(text.replaceAll(/\n +/g, ' ')).toContain(
      'the second half 3 ms after the first half, in round 4): none of them overlapped',
    );
    expect(text).toMatch(/0─+ 9 ms$/m);
  });

  it('shows where a connection was broken, and shortens a long wait', () => {
    const story = [
      call({ step: '1', start: 0, sent: 5, end: 6, outcome: { kind: 'none', reason: 'broken', detail: '' } }),
      call({ step: '2', start: 7, sent: 8, end: 15 }),
      call({ step: '3', start: 2015, sent: 2016, end: 2020 }),
    ];
    const lines = timelineLines({ calls: story, race: null }, null, 4, NARROW);
    expect(lines[0]).toBe('    timeline  3 calls, beginning with the one whose');
    expect(lines.find((line) => line.includes('0─'))).toMatch(/0─+≈─* 2\.0 s/);
    expect(lines.find((line) => line.startsWith('      1 bet'))).toMatch(/│·+█*× +│ broken$/);
  });

  it('limits the number of rows and counts the others', () => {
    const many = Array.from({ length: 40 }, (_, at) => call({ step: `1.${at}`, sent: 0, end: 5 + at }));
    const lines = timelineLines({ calls: many, race: AT_ONCE }, null, 4, OPTIONS);
    expect(lines.length).toBeLessThan(30);
    expect(lines.at(-1)).toBe('      and 16 further calls');
  });

  it.each([60, 80, 120])('keeps to %i columns for any text of the operator', (width) => {
    const rude = `{"balance":"${'9'.repeat(300)}\\u001b[2J","txID":"\\u202e${'x'.repeat(300)}"}`;
    const calls = [call({ step: '1', sent: 0, end: 5, answer: rude }), call({ step: '2'.repeat(50), sent: 0, end: 5 })];
    const lines = timelineLines({ calls, race: AT_ONCE }, null, 4, { ...OPTIONS, width });
    for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(width);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('is not drawn for a single call, nor for calls without an end', () => {
    const [only] = race;
    const unanswered = race.map(({ sending }) => ({ sending, received: null }));
    for (const calls of [only ? [only] : [], unanswered])
      expect(timelineLines({ calls, race: AT_ONCE }, null, 4, OPTIONS)).toEqual([]);
  });

  it('keeps its columns aligned if a step has a name in wide letters', () => {
    const calls = [call({ step: '賭け', sent: 10, end: 20 }), call({ step: 'first', sent: 10, end: 30 })];
    const bars = timelineLines({ calls, race: null }, null, 4, NARROW).slice(-2);
    expect(bars.map((line) => columnsOf(line.slice(0, line.indexOf('│'))))).toEqual([21, 21]);
  });
});
