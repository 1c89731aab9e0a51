import { expect, it, onTestFinished } from 'vitest';
import { Sender } from '../../../src/engine/calls/sender.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { buildRequest } from '../../../src/wire/request.ts';
import { KEY, operatorServer } from '../operator-server.ts';

function senderTo(url: string) {
  const events: JournalEvent[] = [];
  const sender = new Sender({
    wire: {},
    deadlineMs: 500,
    now: () => performance.now(),
    record: (event) => events.push(event),
    ratePerSecond: null,
    maxAtOnce: 64,
  });
  onTestFinished(() => sender.close());
  const callToSend = (fields: Readonly<Record<string, string>> = {}) => {
    const request = buildRequest({
      call: 'balance',
      target: { baseUrl: url },
      key: KEY,
      fields: { sessionID: 's1', ...fields },
    });
    return { call: 'balance', request, scenario: 's', step: '1', purpose: 'step' } as const;
  };
  return { sender, events, callToSend };
}

it('each call is written to the journal before it is sent, and its result afterwards', async () => {
  const { url } = await operatorServer();
  const { sender, events, callToSend } = senderTo(url);
  const exchange = await sender.send(callToSend());
  expect(events.map(({ event }) => event)).toEqual(['sending', 'received']);
  expect(events.map((event) => 'id' in event && event.id)).toEqual([exchange.id, exchange.id]);
  expect(exchange.outcome).toMatchObject({ kind: 'reply', reply: { status: 200 } });
});

it('calls that must be sent at once are released only when all of them are ready', async () => {
  const { url, calls } = await operatorServer(async (_called, tell) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return tell();
  });
  const { sender, callToSend } = senderTo(url);
  const five = [callToSend(), callToSend(), callToSend(), callToSend(), callToSend()];
  const { judged: exchanges, order } = await sender.together(
    five,
    { reversed: true, staggerMs: 0, scale: 1 },
    () => [],
    (all) => all,
  );
  expect(order).toEqual(exchanges.map(({ id }) => id).toReversed());
  const sent = exchanges.map(({ stamps }) => stamps.sent ?? Number.NaN);
  expect(Math.max(...sent)).toBeLessThan(Math.min(...exchanges.map(({ stamps }) => stamps.end)));
  expect(new Set(exchanges.map(({ connection }) => connection?.id)).size).toBe(5);
  expect(calls).toHaveLength(5);
});

it('the second half of the calls of a race is sent later if the race has a stagger', async () => {
  const { url } = await operatorServer();
  const { sender, callToSend } = senderTo(url);
  const { judged: exchanges, barrier } = await sender.together(
    [callToSend(), callToSend(), callToSend(), callToSend()],
    { reversed: false, staggerMs: 20, scale: 1 },
    () => [],
    (all) => all,
  );
  const after = exchanges.map(({ stamps }) => (stamps.sent ?? Number.NaN) - barrier);
  expect(Math.max(...after.slice(0, 2))).toBeLessThan(Math.min(...after.slice(2)));
  expect(Math.min(...after.slice(2))).toBeGreaterThan(15);
});

it('each call has a connection of its own after the sender gave up keep-alive', async () => {
  const { url, calls } = await operatorServer();
  const { sender, callToSend } = senderTo(url);
  await sender.send(callToSend());
  await sender.send(callToSend());
  expect(new Set(calls.map(({ request }) => request.socket)).size).toBe(1);
  expect(sender.giveUpKeepAlive()).toBe(true);
  expect(sender.giveUpKeepAlive()).toBe(false);
  await sender.send(callToSend());
  await sender.send(callToSend());
  expect(new Set(calls.map(({ request }) => request.socket)).size).toBe(3);
});

it('each call of a timed race is sent at its time', async () => {
  const { url } = await operatorServer();
  const { sender, callToSend } = senderTo(url);
  const { judged, order, barrier, offsetsMs } = await sender.together(
    [{ ...callToSend(), atMs: 150 }, callToSend(), { ...callToSend(), atMs: 40 }],
    { reversed: false, staggerMs: 0, scale: 1 },
    () => [],
    (all) => all,
  );
  const [last, first, second] = judged.map(({ id, stamps }) => ({ id, afterMs: (stamps.sent ?? 0) - barrier }));
  expect(order).toEqual([first?.id, second?.id, last?.id]);
  expect(offsetsMs).toEqual([0, 40, 150]);
  // Tolerance, because timers may fire a moment early by another clock.
  expect(second?.afterMs).toBeGreaterThan(38);
  expect(last?.afterMs).toBeGreaterThan(148);
  expect(first?.afterMs).toBeLessThan(second?.afterMs ?? 0);
});

it('replies that are late only because the operator answers one call after another are marked, and fewer calls are sent at once', async () => {
  let before = Promise.resolve();
  let open = 0;
  const together: number[] = [];
  const { url } = await operatorServer(async (_called, tell) => {
    open += 1;
    together.push(open);
    before = before.then(() => new Promise((resolve) => setTimeout(resolve, 60)));
    await before;
    open -= 1;
    return tell();
  });
  const { sender, events, callToSend } = senderTo(url);
  await sender.send(callToSend());
  const first = await Promise.all(Array.from({ length: 20 }, () => sender.send(callToSend())));
  const late = first.filter(({ outcome }) => outcome.kind === 'none');
  expect(late.length).toBeGreaterThan(0);
  expect(late.every(({ stamps }) => stamps.isInQueue === true)).toBe(true);
  expect(first.some(({ outcome, stamps }) => outcome.kind === 'reply' && stamps.isInQueue === true)).toBe(false);
  expect(sender.lateInQueue).toBe(late.length);
  const notices = events.filter(({ event }) => event === 'notice');
  expect(notices).toEqual([expect.objectContaining({ text: expect.stringContaining('one after another') as string })]);
  together.length = 0;
  const second = await Promise.all(Array.from({ length: 20 }, () => sender.send(callToSend())));
  expect(second.every(({ outcome }) => outcome.kind === 'reply')).toBe(true);
  expect(Math.max(...together)).toBeLessThanOrEqual(4);
});
