import { expect, it } from 'vitest';
import { Pace } from '../../../src/engine/calls/pace.ts';

/** A pace whose clock the test moves. Its waits use real timers, so the test only looks whether a call may leave. */
function paced(signal?: AbortSignal) {
  let now = 0;
  const pace = new Pace({ ratePerSecond: null, maxAtOnce: 100, deadlineMs: 5000, now: () => now, signal });
  const reply = (status: number, headers: [string, string][] = []) =>
    pace.note({ atMs: now, call: 'balance', status, headers });
  return {
    reply,
    pass: (ms: number) => {
      now += ms;
    },
    leavesAtOnce: () =>
      Promise.race([pace.enter(1).then(() => true), new Promise((resolve) => setImmediate(() => resolve(false)))]),
  };
}

it('calls wait after a refused balance call for as long as the operator says, and leave at once after an interrupt', async () => {
  const stop = new AbortController();
  const { reply, pass, leavesAtOnce } = paced(stop.signal);
  reply(200);
  pass(100);
  reply(429, [['Retry-After', '30']]);
  expect(await leavesAtOnce()).toBe(false);
  stop.abort();
  pass(1000);
  expect(await leavesAtOnce()).toBe(true);
});

it('calls are not slowed down by a single refusal, or by the refusal of another call', async () => {
  const { reply, pass, leavesAtOnce } = paced();
  for (let calls = 0; calls < 50; calls += 1) {
    reply(calls === 20 ? 429 : 200);
    pass(20);
  }
  expect(await leavesAtOnce()).toBe(true);
  expect(await leavesAtOnce()).toBe(true);
});

it('calls are spaced after several refusals by the number of calls that the operator took', async () => {
  const { reply, pass, leavesAtOnce } = paced();
  for (let calls = 0; calls < 20; calls += 1) {
    reply(calls < 10 ? 200 : 429);
    pass(5);
  }
  pass(1000);
  // 10 calls in a second were taken, so the second call of two waits about 110 ms.
  expect(await leavesAtOnce()).toBe(true);
  expect(await leavesAtOnce()).toBe(false);
});
