import { expect, it } from 'vitest';
import { Pace } from '../../../src/engine/calls/pace.ts';

it('calls that enter at the same time are spaced by the rate limit', async () => {
  const pace = new Pace({ ratePerSecond: 50, maxAtOnce: 100, deadlineMs: 5000, now: () => performance.now() });
  const start = performance.now();
  const entered = await Promise.all(
    Array.from({ length: 4 }, () => pace.enter(1).then(() => performance.now() - start)),
  );
  // Only lower limits: a busy machine may be late, and a timer may fire a millisecond early.
  for (const [index, ms] of entered.entries()) expect(ms).toBeGreaterThanOrEqual(index * 20 - 2);
});

it('a call without a rate limit does not wait for a timer', async () => {
  const pace = new Pace({ ratePerSecond: null, maxAtOnce: 100, deadlineMs: 5000, now: () => performance.now() });
  const order: string[] = [];
  const timer = new Promise<void>((resolve) => {
    setImmediate(() => {
      order.push('timer');
      resolve();
    });
  });
  for (let turn = 0; turn < 1000; turn += 1) {
    await pace.enter(1);
    pace.leave(1);
  }
  order.push('calls');
  await timer;
  expect(order).toEqual(['calls', 'timer']);
});

it('no more calls than the limit wait for a reply at once, and a set above the limit is sent when no other call waits', async () => {
  const pace = new Pace({ ratePerSecond: null, maxAtOnce: 2, deadlineMs: 5000, now: () => performance.now() });
  const entered: string[] = [];
  const enter = (name: string, calls: number) => pace.enter(calls).then(() => entered.push(name));
  await Promise.all([enter('a', 1), enter('b', 1)]);
  const third = enter('c', 1);
  const race = enter('race', 5);
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered).toEqual(['a', 'b']);
  pace.leave(1);
  await third;
  expect(entered).toEqual(['a', 'b', 'c']);
  pace.leave(2);
  await race;
  expect(entered).toEqual(['a', 'b', 'c', 'race']);
});

it('a set of zero calls enters at once, even while other calls wait for a reply', async () => {
  const pace = new Pace({ ratePerSecond: null, maxAtOnce: 1, deadlineMs: 5000, now: () => performance.now() });
  await pace.enter(1);
  await pace.enter(0);
  pace.leave(0);
  const entered = pace.enter(1).then(() => 'entered');
  expect(await Promise.race([entered, new Promise((resolve) => setImmediate(resolve))])).toBeUndefined();
});

it('a large set of calls enters before calls that came later', async () => {
  const pace = new Pace({ ratePerSecond: null, maxAtOnce: 2, deadlineMs: 5000, now: () => performance.now() });
  const entered: string[] = [];
  const enter = (name: string, calls: number) => pace.enter(calls).then(() => entered.push(name));
  await enter('first', 1);
  const rest = [enter('race', 5), enter('later', 1)];
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered).toEqual(['first']);
  pace.leave(1);
  await rest[0];
  pace.leave(5);
  await rest[1];
  expect(entered).toEqual(['first', 'race', 'later']);
});
