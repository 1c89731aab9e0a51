import { describe, expect, it } from 'vitest';
import { Lateness } from '../../src/judge/lateness.ts';

describe('what shows late', () => {
  it('is the rule of the one kind of call, and of the reads where several kinds are late', () => {
    const lateness = new Lateness();
    expect(lateness.rule).toBeUndefined();
    lateness.saw(['win'], true);
    expect(lateness.rule).toBe('win.credit');
    lateness.saw(['refund'], true);
    expect(lateness.rule).toBe('balance.read');
  });

  it('is sure when it was seen twice', () => {
    const lateness = new Lateness();
    lateness.saw(['bet'], true);
    expect(lateness.isSure).toBe(false);
    lateness.saw(['bet'], true);
    expect(lateness.isSure).toBe(true);
  });

  it('is waited for only where it was seen to catch up', () => {
    const lateness = new Lateness();
    lateness.lasted(200);
    lateness.saw(['bet'], false);
    expect([lateness.isWaitedFor, lateness.pauseMs]).toEqual([false, 0]);
    lateness.saw(['bet'], true);
    expect(lateness.isWaitedFor).toBe(true);
    expect(lateness.pauseMs).toBeGreaterThan(200);
  });

  it('is not waited for any more when the budget is spent, or in vain again and again', () => {
    const spent = new Lateness(1000);
    spent.saw(['bet'], true);
    spent.waited(1000);
    expect([spent.isWaitedFor, spent.pauseMs]).toEqual([false, 0]);
    const never = new Lateness();
    expect(never.isWorthWaiting).toBe(true);
    never.waitedInVain();
    never.waitedInVain();
    expect(never.isWorthWaiting).toBe(false);
  });

  it('covers the kinds that were seen, and all where it is the reads', () => {
    const lateness = new Lateness();
    lateness.saw(['refund'], true);
    expect([lateness.covers([]), lateness.covers(['refund']), lateness.covers(['bet', 'refund'])]).toEqual([
      true,
      true,
      false,
    ]);
    lateness.saw(['bet'], true);
    expect(lateness.covers(['win'])).toBe(true);
  });
});
