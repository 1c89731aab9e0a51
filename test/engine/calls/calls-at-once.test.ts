import { describe, expect, it } from 'vitest';
import { CallsAtOnce } from '../../../src/engine/calls/calls-at-once.ts';

const ended = (replyMs: number | null, inFlight: number, call: 'balance' | 'bet' = 'balance', isAccepted = true) => ({
  call,
  replyMs,
  isAccepted,
  inFlight,
});

describe('the number of calls in flight', () => {
  it('is lowered if the calls before a late reply need more than half of the deadline one after another', () => {
    const atOnce = new CallsAtOnce({ deadlineMs: 5000, maxAtOnce: 64 });
    atOnce.note(ended(3000, 5));
    atOnce.note(ended(700, 1));
    expect(atOnce.note(ended(null, 10))).toBe(true);
    expect([atOnce.limit, atOnce.isLowered]).toEqual([3, true]);
  });

  it('follows the slowest kind of call, and only the calls that the operator accepted', () => {
    const atOnce = new CallsAtOnce({ deadlineMs: 5000, maxAtOnce: 64 });
    atOnce.note(ended(1, 1));
    atOnce.note(ended(2, 1, 'bet', false));
    atOnce.note(ended(1200, 1, 'bet'));
    expect(atOnce.note(ended(null, 4))).toBe(true);
    expect(atOnce.limit).toBe(2);
  });

  it('stays if the operator is so fast that the other calls do not explain a late reply', () => {
    const atOnce = new CallsAtOnce({ deadlineMs: 5000, maxAtOnce: 64 });
    atOnce.note(ended(200, 1));
    expect(atOnce.note(ended(null, 10))).toBe(false);
    expect(atOnce.isLowered).toBe(false);
  });

  it('stays if nothing shows how long the operator needs', () => {
    const atOnce = new CallsAtOnce({ deadlineMs: 5000, maxAtOnce: 64 });
    expect(atOnce.note(ended(null, 10))).toBe(false);
  });

  it('is raised again as soon as a reply is late although no other call was in flight', () => {
    const atOnce = new CallsAtOnce({ deadlineMs: 5000, maxAtOnce: 64 });
    atOnce.note(ended(2000, 1));
    expect(atOnce.note(ended(null, 10))).toBe(true);
    expect(atOnce.limit).toBe(1);
    expect(atOnce.note(ended(null, 1))).toBe(false);
    expect(atOnce.limit).toBe(64);
    expect(atOnce.note(ended(null, 10))).toBe(false);
  });
});
