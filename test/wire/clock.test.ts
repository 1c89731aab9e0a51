import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isWithin, replyMs } from '../../src/journal/exchange.ts';
import { pausedMs, processNow } from '../../src/wire/clock.ts';
import { get, ok, onRequests, openWire, rawServer, reasonOf } from './raw-server.ts';

/** Keeps this process from running, as SIGSTOP does. */
function stopFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('a pause of croupier is no time of the operator', async () => {
  const port = await rawServer((socket) =>
    onRequests(socket, () => {
      stopFor(1500);
      socket.write(ok('{"balance":"1.00"}'));
    }),
  );
  processNow();
  const { outcome, stamps } = await openWire({ deadlineMs: 700 }).send({ request: get(`http://127.0.0.1:${port}/`) });
  expect(reasonOf(outcome)).toBe(200);
  expect(stamps.pausedMs).toBeGreaterThan(1300);
  expect(replyMs(stamps)).toBeLessThan(700);
});

it('a short delay of croupier leaves open whether the reply was in time', async () => {
  const port = await rawServer((socket) =>
    onRequests(socket, () => {
      stopFor(500);
      socket.write(ok('{"balance":"1.00"}'));
    }),
  );
  processNow();
  const { outcome, stamps } = await openWire({ deadlineMs: 400 }).send({ request: get(`http://127.0.0.1:${port}/`) });
  expect(reasonOf(outcome)).toBe(200);
  expect(replyMs(stamps)).toBeGreaterThan(400);
  expect([isWithin(stamps, 400), isWithin(stamps, 60_000)]).toEqual([undefined, true]);
  expect(isWithin({ ...stamps, delayedMs: 1 }, 400)).toBe(false);
});

it('a call without a pause has no pause in its stamps, and is late without it', async () => {
  const before = pausedMs();
  const port = await rawServer((socket) => onRequests(socket, () => void sleep(5000, undefined, { ref: false })));
  const { outcome, stamps } = await openWire({ deadlineMs: 200 }).send({ request: get(`http://127.0.0.1:${port}/`) });
  expect(reasonOf(outcome)).toBe('too-late');
  expect(stamps.pausedMs ?? 0).toBe(pausedMs() - before);
});
