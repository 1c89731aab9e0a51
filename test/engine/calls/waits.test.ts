import { expect, it } from 'vitest';
import { pause, queueWaitMs } from '../../../src/engine/calls/waits.ts';
import type { Exchange } from '../../../src/journal/exchange.ts';

const answered = { outcome: { kind: 'reply' } } as Exchange;
const late = { outcome: { kind: 'none', reason: 'too-late' } } as Exchange;
const lost = { outcome: { kind: 'none', reason: 'reset' } } as Exchange;

it('there is no wait for late effects if no call timed out', () => {
  expect(queueWaitMs([answered, lost], 5000)).toBe(0);
});

it('the wait after timed-out calls depends on the reply times of the answered calls', () => {
  expect(queueWaitMs([answered, answered, answered, answered, answered, late, late], 5000)).toBe(2000);
});

it('the wait after timed-out calls has a maximum', () => {
  expect(queueWaitMs([late, late], 5000)).toBe(10000);
  expect(queueWaitMs([answered, ...Array.from({ length: 11 }, () => late)], 5000)).toBe(15000);
});

it('a pause never ends before its time is over', async () => {
  const left = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const until = performance.now() + 5 + index * 0.13;
      await pause(until - performance.now());
      return until - performance.now();
    }),
  );
  expect(Math.max(...left)).toBeLessThanOrEqual(0);
});
