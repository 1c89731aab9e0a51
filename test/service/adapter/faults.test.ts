import { expect, it } from 'vitest';
import { Faults } from '../../../src/service/adapter/faults.ts';
import { settled, startAdapter, startFront, until } from './adapter-setup.ts';
import { sessionOf } from './sessions.ts';

it('a fault applies only to the next matching call', () => {
  const faults = new Faults();
  const first = faults.add('bet', { kind: 'drop' }, 'gs-1');
  faults.add('win', { kind: 'repeat' });
  expect(faults.take('bet', 'gs-2', ['drop'])).toEqual([]);
  expect(faults.take('bet', 'gs-1', ['repeat'])).toEqual([]);
  expect(faults.take('bet', 'gs-1', ['drop', 'repeat'])).toEqual([{ kind: 'drop' }]);
  expect(faults.take('bet', 'gs-1', ['drop'])).toEqual([]);
  expect(faults.pending.map(({ call }) => call)).toEqual(['win']);
  expect(faults.remove(first.id)).toBe(false);
  expect(faults.remove(faults.pending[0]?.id ?? 0)).toBe(true);
  expect(faults.pending).toEqual([]);
});

it('a fault that its call can’t have is refused', () => {
  const faults = new Faults();
  expect(() => faults.add('win', { kind: 'refund-first' })).toThrow('only a bet can be refunded before it is sent');
  for (const ms of [-1, 60_001, Number.NaN]) {
    expect(() => faults.add('bet', { kind: 'delay', ms })).toThrow('the delay must be from 0 to 60000 ms');
  }
});

it('a bet whose connection is broken by a fault is refunded', async () => {
  const front = await startFront();
  const { adapter, faults, log } = startAdapter(front.url);
  faults.add('bet', { kind: 'drop' });
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

it('a win that a fault repeats is paid only once', async () => {
  const front = await startFront();
  const { adapter, faults, log } = startAdapter(front.url);
  faults.add('win', { kind: 'repeat' });
  await adapter.play(sessionOf(), '1.00', { win: '5.00' });
  expect(front.arrived.map(({ call }) => call)).toEqual(['bet', 'win', 'win']);
  expect(front.arrived[1]?.body).toBe(front.arrived[2]?.body);
  expect(front.balance()).toBe('1004.00');
  expect(log.recent().map(({ notes }) => notes)).toEqual([
    [],
    ['will be sent twice on purpose'],
    ['sent a second time on purpose'],
  ]);
});

it('after a wrong signature a bet is declined, and a win is accepted at the next attempt', async () => {
  const front = await startFront();
  const { adapter, faults } = startAdapter(front.url);
  faults.add('bet', { kind: 'sign-wrongly' });
  expect(await adapter.play(sessionOf(), '1.00', { win: '5.00' })).toMatchObject({
    bet: { kind: 'declined', status: 401, refunding: false },
  });
  faults.add('win', { kind: 'sign-wrongly' });
  expect(await adapter.play(sessionOf(), '1.00', { win: '5.00' })).toMatchObject({
    win: { kind: 'pending', status: 401 },
  });
  await settled(adapter);
  expect(front.balance()).toBe('1004.00');
});

it('a fault delays a call', async () => {
  const front = await startFront();
  const { adapter, faults } = startAdapter(front.url);
  faults.add('bet', { kind: 'delay', ms: 60 });
  const began = performance.now();
  expect(await adapter.bet(adapter.openRound(sessionOf()), '1.00')).toMatchObject({ kind: 'accepted' });
  expect(performance.now() - began).toBeGreaterThan(50);
});

it('a bet that is refunded before it is sent takes nothing', async () => {
  const front = await startFront();
  const { adapter, faults } = startAdapter(front.url);
  faults.add('bet', { kind: 'refund-first' });
  const { bet, win } = await adapter.play(sessionOf(), '1.00', { win: '5.00' });
  expect(bet).toMatchObject({ kind: 'declined', refunding: true });
  expect(win).toBeNull();
  expect(front.arrived.map(({ call }) => call)).toEqual(['refund', 'bet']);
  expect(front.arrived[0]?.fields.origTxID).toBe(front.arrived[1]?.fields.txID);
  expect(front.balance()).toBe('1000.00');
  expect(adapter.owed()).toEqual([]);
});
