import { expect, it } from 'vitest';
import { Faults } from '../../../src/service/adapter/faults.ts';
import { settled, startFront, startRig, until } from './rig.ts';
import { sessionOf } from './sessions.ts';

it('strikes the next call that it fits, once', () => {
  const faults = new Faults();
  const first = faults.arm('bet', { kind: 'drop' }, 'gs-1');
  faults.arm('win', { kind: 'repeat' });
  expect(faults.strike('bet', 'gs-2', ['drop'])).toEqual([]);
  expect(faults.strike('bet', 'gs-1', ['repeat'])).toEqual([]);
  expect(faults.strike('bet', 'gs-1', ['drop', 'repeat'])).toEqual([{ kind: 'drop' }]);
  expect(faults.strike('bet', 'gs-1', ['drop'])).toEqual([]);
  expect(faults.armed.map(({ call }) => call)).toEqual(['win']);
  expect(faults.disarm(first.id)).toBe(false);
  expect(faults.disarm(faults.armed[0]?.id ?? 0)).toBe(true);
  expect(faults.armed).toEqual([]);
});

it('takes nothing that makes no sense', () => {
  const faults = new Faults();
  expect(() => faults.arm('win', { kind: 'refund-first' })).toThrow('only a bet can have its refund sent first');
  for (const ms of [-1, 60_001, Number.NaN]) {
    expect(() => faults.arm('bet', { kind: 'delay', ms })).toThrow('a call can be delayed by 0 to 60000 ms');
  }
});

it('breaks the connection of a bet, which is refunded', async () => {
  const front = await startFront();
  const { adapter, faults, log } = startRig(front.url);
  faults.arm('bet', { kind: 'drop' });
  const { bet } = await adapter.play(sessionOf(), '1.00', { win: '5.00' });
  expect(bet).toMatchObject({ kind: 'declined', refunding: true, status: null });
  await settled(adapter);
  await until(() => front.transactions().length === 2, 'the dropped bet');
  expect(front.balance()).toBe('1000.00');
  expect(log.recent()[0]).toMatchObject({
    notes: ['connection broken on purpose'],
    outcome: { kind: 'none', reason: 'broken' },
  });
});

it('repeats a win, which is paid once', async () => {
  const front = await startFront();
  const { adapter, faults, log } = startRig(front.url);
  faults.arm('win', { kind: 'repeat' });
  await adapter.play(sessionOf(), '1.00', { win: '5.00' });
  expect(front.arrived.map(({ call }) => call)).toEqual(['bet', 'win', 'win']);
  expect(front.arrived[1]?.body).toBe(front.arrived[2]?.body);
  expect(front.balance()).toBe('1004.00');
  expect(log.recent().map(({ notes }) => notes)).toEqual([[], ['to be repeated on purpose'], ['repeated on purpose']]);
});

it('signs wrongly: a bet is declined, a win comes through at the next try', async () => {
  const front = await startFront();
  const { adapter, faults } = startRig(front.url);
  faults.arm('bet', { kind: 'sign-wrongly' });
  expect(await adapter.play(sessionOf(), '1.00', { win: '5.00' })).toMatchObject({
    bet: { kind: 'declined', status: 401, refunding: false },
  });
  faults.arm('win', { kind: 'sign-wrongly' });
  expect(await adapter.play(sessionOf(), '1.00', { win: '5.00' })).toMatchObject({
    win: { kind: 'pending', status: 401 },
  });
  await settled(adapter);
  expect(front.balance()).toBe('1004.00');
});

it('delays a call', async () => {
  const front = await startFront();
  const { adapter, faults } = startRig(front.url);
  faults.arm('bet', { kind: 'delay', ms: 60 });
  const began = performance.now();
  expect(await adapter.bet(adapter.openRound(sessionOf()), '1.00')).toMatchObject({ kind: 'accepted' });
  expect(performance.now() - began).toBeGreaterThan(50);
});

it('refunds a bet before it is sent, which then takes nothing', async () => {
  const front = await startFront();
  const { adapter, faults } = startRig(front.url);
  faults.arm('bet', { kind: 'refund-first' });
  const { bet, win } = await adapter.play(sessionOf(), '1.00', { win: '5.00' });
  expect(bet).toMatchObject({ kind: 'declined', refunding: true });
  expect(win).toBeNull();
  expect(front.arrived.map(({ call }) => call)).toEqual(['refund', 'bet']);
  expect(front.arrived[0]?.fields.origTxID).toBe(front.arrived[1]?.fields.txID);
  expect(front.balance()).toBe('1000.00');
  expect(adapter.owed()).toEqual([]);
});
