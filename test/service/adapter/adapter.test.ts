import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/journal/exchange.ts';
import { Adapter } from '../../../src/service/adapter/adapter.ts';
import type { ReverseCall } from '../../../src/service/adapter/reverse-calls.ts';
import { RoundStore } from '../../../src/service/adapter/round-store.ts';
import { openServiceDatabase } from '../../../src/service/service-database.ts';
import { sleep } from '../../../src/service/sleep.ts';
import { settled, startAdapter, startFront, until } from './adapter-setup.ts';
import type { Arrived } from './operator-front.ts';
import { DEADLINE_MS, sessionOf } from './sessions.ts';

function callsOf(arrived: readonly Arrived[]): string {
  return arrived.map(({ call }) => call).join(' ');
}

it('the adapter takes a bet and pays a win in one round', async () => {
  const front = await startFront();
  const { adapter } = startAdapter(front.url);
  const session = sessionOf();
  expect(await adapter.balance(session)).toEqual({ kind: 'balance', balance: '1000.00' });
  const round = adapter.openRound(session);
  expect(await adapter.bet(round, '2.50')).toMatchObject({ kind: 'accepted', balance: '997.50' });
  expect(await adapter.win(round.round.roundID, '10.00')).toMatchObject({ kind: 'settled', balance: '1007.50' });
  expect(front.arrived.slice(1).map(({ fields }) => fields)).toMatchObject([
    { amount: '2.50', type: 'regular', roundID: round.round.roundID, sessionID: 's-p0' },
    { amount: '10.00', type: 'regular', roundID: round.round.roundID, sessionID: 's-p0' },
  ]);
  expect(adapter.owed()).toEqual([]);
});

it('the adapter ends a round with its last win, or with its bets when none is accepted', async () => {
  const front = await startFront();
  const { adapter } = startAdapter(front.url);
  const round = adapter.openRound(sessionOf());
  expect(await adapter.win(round.round.roundID, '1.00')).toEqual({ kind: 'refused', reason: 'round-over' });
  await adapter.bet(round, '1.00');
  await adapter.bet(round, '1.00');
  await adapter.win(round.round.roundID, '1.00', { more: true });
  await adapter.win(round.round.roundID, '0');
  expect(await adapter.bet(round, '1.00')).toEqual({ kind: 'refused', reason: 'round-over' });
  expect(await adapter.win(round.round.roundID, '1.00')).toEqual({ kind: 'refused', reason: 'round-over' });
  const other = adapter.openRound(sessionOf());
  await adapter.bet(other, '5000.00');
  expect(await adapter.bet(other, '1.00')).toEqual({ kind: 'refused', reason: 'round-over' });
  expect(callsOf(front.arrived)).toBe('bet bet win win bet');
  expect(front.balance()).toBe('999.00');
});

it('the adapter declines a bet without a refund for every status except 200 and 500, and returns the operator’s message', async () => {
  const front = await startFront();
  const { adapter } = startAdapter(front.url);
  for (const status of [201, 204, 302, 400, 401, 403, 404, 409, 429, 501, 502, 503, 504]) {
    front.mishap = () => ({ kind: 'status', status });
    const bet = await adapter.bet(adapter.openRound(sessionOf()), '1.00');
    expect(bet).toMatchObject({ kind: 'declined', refunding: false, status });
  }
  front.mishap = () => undefined;
  expect(await adapter.bet(adapter.openRound(sessionOf()), '1000.01')).toMatchObject({
    kind: 'declined',
    code: 'insufficient_funds',
    refunding: false,
    message: expect.stringMatching(/\w+/),
  });
  expect(new Set(front.arrived.map(({ call }) => call))).toEqual(new Set(['bet']));
  expect(adapter.owed()).toEqual([]);
});

it.each([
  ['500', { kind: 'status', status: 500, processed: true }],
  ['500, nothing taken', { kind: 'status', status: 500 }],
  ['no reply in time', { kind: 'late', ms: DEADLINE_MS * 2 }],
  ['no reply in time, processed after the refund', { kind: 'late', ms: DEADLINE_MS * 2, processedLate: true }],
  ['a broken connection', { kind: 'cut', processed: true }],
] as const)('the adapter refunds a bet after %s', async (_, mishap) => {
  const front = await startFront();
  front.mishap = ({ call }) => (call === 'bet' ? mishap : undefined);
  const { adapter } = startAdapter(front.url);
  const bet = await adapter.bet(adapter.openRound(sessionOf()), '3.00');
  expect(bet).toMatchObject({ kind: 'declined', refunding: true });
  await settled(adapter);
  expect(callsOf(front.arrived)).toBe('bet refund');
  const [sent, refund] = front.arrived;
  expect(refund?.fields).toMatchObject({
    origTxID: sent?.fields.txID,
    amount: '3.00',
    roundID: sent?.fields.roundID,
    sessionID: 's-p0',
  });
  await until(
    () => front.transactions().some(({ call }) => call === 'bet') || mishap.kind === 'status',
    'the late bet',
  );
  expect(front.balance()).toBe('1000.00');
});

it('the adapter sends a win again with the same bytes until it is answered 200, and never refunds it', async () => {
  const front = await startFront();
  const mishaps = [
    { kind: 'status', status: 500, processed: true },
    { kind: 'status', status: 404 },
    { kind: 'late', ms: DEADLINE_MS * 2 },
    { kind: 'cut', processed: true },
    { kind: 'status', status: 503 },
  ] as const;
  front.mishap = ({ call }, nth) => (call === 'win' ? mishaps[nth - 1] : undefined);
  const { adapter } = startAdapter(front.url);
  const round = adapter.openRound(sessionOf());
  await adapter.bet(round, '1.00');
  const win = await adapter.win(round.round.roundID, '7.00');
  expect(win).toMatchObject({ kind: 'pending', status: 500, message: 'Not now.' });
  expect(adapter.owed()).toMatchObject([{ call: 'win', amount: '7.00', attempts: 1, player: 'p0', gameID: 'catch' }]);
  await settled(adapter);
  expect(callsOf(front.arrived)).toBe('bet win win win win win win');
  expect(new Set(front.arrived.slice(1).map(({ body }) => body)).size).toBe(1);
  expect(front.balance()).toBe('1006.00');
});

it('the adapter sends a refund again with the same bytes until it is answered 200, after every other answer', async () => {
  const front = await startFront();
  front.mishap = ({ call }, nth) => {
    if (call === 'bet') return { kind: 'cut', processed: true };
    return nth < 4 ? { kind: 'status', status: [400, 500, 503][nth - 1] ?? 0, processed: nth === 2 } : undefined;
  };
  const { adapter } = startAdapter(front.url);
  await adapter.bet(adapter.openRound(sessionOf()), '3.00');
  await settled(adapter);
  expect(callsOf(front.arrived)).toBe('bet refund refund refund refund');
  expect(new Set(front.arrived.slice(1).map(({ body }) => body)).size).toBe(1);
  expect(front.balance()).toBe('1000.00');
});

it('the adapter sends no roundID in refunds before contract 1.5.0', async () => {
  const front = await startFront();
  front.mishap = ({ call }) => (call === 'bet' ? { kind: 'cut' } : undefined);
  const { adapter } = startAdapter(front.url, { contract: '1.2.11' });
  await adapter.bet(adapter.openRound(sessionOf()), '3.00');
  await settled(adapter);
  expect(Object.keys(front.arrived[1]?.fields ?? {}).sort()).toEqual(['amount', 'origTxID', 'sessionID', 'txID']);
});

it('the adapter sends the bets of one session one after the other, and the bets of different sessions at the same time', async () => {
  const front = await startFront();
  front.mishap = () => ({ kind: 'late', ms: 30 });
  const { adapter, log } = startAdapter(front.url);
  let [now, max] = [0, 0];
  log.subscribe(({ outcome }) => {
    now += outcome === null ? 1 : -1;
    max = Math.max(max, now);
  });
  const same = Array.from({ length: 4 }, () => adapter.bet(adapter.openRound(sessionOf()), '1.00'));
  await Promise.all(same);
  expect(max).toBe(1);
  const others = ['p1', 'p2', 'p3', 'p4'].map((player) => adapter.bet(adapter.openRound(sessionOf(player)), '1.00'));
  await Promise.all(others);
  expect(max).toBe(4);
});

it('the adapter refuses an amount that is not a plain decimal', async () => {
  const front = await startFront();
  const { adapter } = startAdapter(front.url);
  const round = adapter.openRound(sessionOf());
  await expect(adapter.bet(round, '-1')).rejects.toThrow(RangeError);
  await expect(adapter.play(sessionOf(), '1e3', { win: '0' })).rejects.toThrow(RangeError);
  await adapter.bet(round, '1.00');
  await expect(adapter.win(round.round.roundID, '.5')).rejects.toThrow(RangeError);
  expect(callsOf(front.arrived)).toBe('bet');
});

it('the adapter reports why a balance can’t be read', async () => {
  const front = await startFront();
  const { adapter } = startAdapter(front.url);
  front.mishap = () => ({ kind: 'status', status: 500 });
  expect(await adapter.balance(sessionOf())).toMatchObject({ kind: 'failed', status: 500, message: 'Not now.' });
  front.mishap = () => ({ kind: 'status', status: 200 });
  expect(await adapter.balance(sessionOf())).toMatchObject({ kind: 'failed', status: 200 });
});

it('the adapter sends an owed call without waiting when retryNow is called', async () => {
  const front = await startFront();
  front.mishap = ({ call }, nth) => (call === 'win' && nth === 1 ? { kind: 'status', status: 500 } : undefined);
  const { adapter } = startAdapter(front.url, { backoff: { initialMs: 1e8, factor: 1, maxMs: 1e8, jitter: 0 } });
  const { win } = await adapter.play(sessionOf(), '1.00', { win: '2.00' });
  expect(win?.kind).toBe('pending');
  await until(() => adapter.owed()[0]?.nextTryAt !== null, 'the wait');
  const [owed] = adapter.owed();
  expect(owed).toMatchObject({ attempts: 1, trouble: 'answered 500: Not now.' });
  expect(owed?.nextTryAt).toBeGreaterThan(Date.now() + 1e7);
  expect(adapter.retryNow('unknown')).toBe(false);
  expect(adapter.retryNow(owed?.id ?? '')).toBe(true);
  await settled(adapter);
  expect(front.balance()).toBe('1001.00');
});

const OK: Outcome = {
  kind: 'reply',
  reply: { status: 200, headers: [], body: { encoding: 'utf8', data: '{}', length: 2, truncated: false } },
};
const DOWN: Outcome = { kind: 'none', reason: 'refused', detail: 'Nothing listens there.' };

/** Creates an adapter whose clock advances only while the adapter waits. */
function virtual(answer: (call: ReverseCall, nth: number) => Outcome, options: { jitter: number; random?: number }) {
  let now = 0;
  const sent: { readonly call: string; readonly at: number }[] = [];
  const adapter = new Adapter({
    store: new RoundStore(openServiceDatabase()),
    send: async (call) => {
      sent.push({ call: call.call, at: now });
      return answer(call, sent.length);
    },
    uuid: () => crypto.randomUUID(),
    clock: () => now,
    sleep: async (ms, signal) => {
      await Promise.resolve();
      if (!signal?.aborted) now += ms;
    },
    random: () => options.random ?? 0,
    backoff: { initialMs: 100, factor: 3, maxMs: 2000, jitter: options.jitter },
  });
  return { adapter, sent };
}

it('the adapter waits longer before each retry, up to a limit', async () => {
  const { adapter, sent } = virtual((call, nth) => (call.call === 'win' && nth < 8 ? DOWN : OK), { jitter: 0 });
  await adapter.play(sessionOf(), '1.00', { win: '0' });
  await settled(adapter);
  expect(sent.slice(1).map(({ at }) => at)).toEqual([0, 100, 400, 1300, 3300, 5300, 7300]);
});

it('the adapter shortens waits at random, so that not all retries are sent at once', async () => {
  const { adapter, sent } = virtual((call, nth) => (call.call === 'win' && nth < 4 ? DOWN : OK), {
    jitter: 0.5,
    random: 0.5,
  });
  await adapter.play(sessionOf(), '1.00', { win: '0' });
  await settled(adapter);
  expect(sent.slice(1).map(({ at }) => at)).toEqual([0, 75, 300]);
});

it('the adapter limits the number of retries at the same time when an operator answers again', async () => {
  let [now, max] = [0, 0];
  let down = true;
  const adapter = new Adapter({
    store: new RoundStore(openServiceDatabase()),
    send: async ({ call }) => {
      if (call === 'bet') return OK;
      now += 1;
      if (!down) max = Math.max(max, now);
      await sleep(1);
      now -= 1;
      return down ? DOWN : OK;
    },
    uuid: () => crypto.randomUUID(),
    clock: Date.now,
    sleep,
    random: Math.random,
    backoff: { initialMs: 5, factor: 1, maxMs: 5, jitter: 0 },
    maxRetriesAtOnce: 3,
  });
  const rounds = Array.from({ length: 30 }, (_, index) =>
    adapter.play(sessionOf(`p${index}`), '1.00', { win: '1.00' }),
  );
  await Promise.all(rounds);
  await sleep(20);
  down = false;
  await settled(adapter);
  expect(max).toBe(3);
  await adapter.close();
});

it('the adapter sends nothing more after close, and waits for the calls that are not answered yet', async () => {
  const front = await startFront();
  front.mishap = () => ({ kind: 'late', ms: 50 });
  const { adapter } = startAdapter(front.url);
  const playing = adapter.play(sessionOf(), '1.00', { win: '5.00' });
  const waiting = adapter.bet(adapter.openRound(sessionOf()), '1.00');
  await until(() => front.arrived.length === 1, 'the bet');
  await adapter.close(2000);
  expect(await playing).toMatchObject({ bet: { kind: 'accepted' }, win: { kind: 'refused', reason: 'closing' } });
  expect(await waiting).toEqual({ kind: 'refused', reason: 'closing' });
  expect(await adapter.balance(sessionOf())).toEqual({ kind: 'refused', reason: 'closing' });
  expect(callsOf(front.arrived)).toBe('bet');
});
