import { describe, expect, it } from 'vitest';
import type { Received } from '../../src/journal/event.ts';
import type { JournalledExchange } from '../../src/report/evidence.ts';
import { timelineLines } from '../../src/report/timeline.ts';
import { exchange } from '../journal/events.ts';
import { OPTIONS } from './journals.ts';

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

  it('shows calls that were let go together from the barrier on, the one of the finding marked', () => {
    expect(
      timelineLines(
        { calls: race, race: { barrier: 10, staggerMs: 0, overlapped: 2, round: 1 } },
        'x2.2',
        4,
        NARROW,
      ).join('\n'),
    ).toBe(`\
    timeline  3 calls let go together (all at once): 2 were
              in flight together with another, not 2.3 bet
              1.00
                    0────────────────── 40 ms
      2.1 bet 1.00 │███████                  │ 200 9.00 op-1
    › 2.2 bet 1.00 │█████████████            │ 200 9.00 op-1
      2.3 bet 1.00 │···············██████████│ 200 9.00 op-1`);
  });

  it('needs no more than ASCII', () => {
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

  it('says when nothing overlapped, when one half was let go later, and in which round', () => {
    const alone = [call({ step: '1', sent: 0, end: 5 }), call({ step: '2', sent: 6, end: 9 })];
    const race = { barrier: 0, staggerMs: 3, overlapped: 0, round: 4 };
    const text = timelineLines({ calls: alone, race }, null, 4, OPTIONS).join('\n');
    expect(text.replaceAll(/\n +/g, ' ')).toContain(
      'the second half 3 ms after the first, in round 4): no two of them were in flight together',
    );
    expect(text).toMatch(/0─+ 9 ms$/m);
  });

  it('shows a broken connection where it broke, and a long wait cut short', () => {
    const story = [
      call({ step: '1', start: 0, sent: 5, end: 6, outcome: { kind: 'none', reason: 'broken', detail: '' } }),
      call({ step: '2', start: 7, sent: 8, end: 15 }),
      call({ step: '3', start: 2015, sent: 2016, end: 2020 }),
    ];
    const lines = timelineLines({ calls: story, race: null }, null, 4, NARROW);
    expect(lines[0]).toBe('    timeline  the story from the call whose connection was');
    expect(lines.find((line) => line.includes('0─'))).toMatch(/0─+≈─* 2\.0 s/);
    expect(lines.find((line) => line.startsWith('      1 bet'))).toMatch(/│·+█*× +│ broken$/);
  });

  it('holds no more rows than can be taken in', () => {
    const many = Array.from({ length: 40 }, (_, at) => call({ step: `1.${at}`, sent: 0, end: 5 + at }));
    const lines = timelineLines({ calls: many, race: AT_ONCE }, null, 4, OPTIONS);
    expect(lines.length).toBeLessThan(30);
    expect(lines.at(-1)).toBe('      and 16 further calls');
  });

  it.each([60, 80, 120])('keeps to %i columns, whatever the operator says', (width) => {
    const rude = `{"balance":"${'9'.repeat(300)}\\u001b[2J","txID":"\\u202e${'x'.repeat(300)}"}`;
    const calls = [call({ step: '1', sent: 0, end: 5, answer: rude }), call({ step: '2'.repeat(50), sent: 0, end: 5 })];
    const lines = timelineLines({ calls, race: AT_ONCE }, null, 4, { ...OPTIONS, width });
    for (const line of lines) expect(Array.from(line).length).toBeLessThanOrEqual(width);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('is not drawn of a single call, nor of what the journal does not hold', () => {
    const [only] = race;
    const unanswered = race.map(({ sending }) => ({ sending, received: null }));
    for (const calls of [only ? [only] : [], unanswered])
      expect(timelineLines({ calls, race: AT_ONCE }, null, 4, OPTIONS)).toEqual([]);
  });
});
