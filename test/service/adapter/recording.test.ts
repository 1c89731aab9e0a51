import { expect, it } from 'vitest';
import { type Ledger, memoryLedger } from '../../../src/service/adapter/ledger.ts';
import { settled, startFront, startRig, until } from './rig.ts';
import { sessionOf } from './sessions.ts';

/** A ledger whose disk is full at the writes with these numbers, counted from 1. */
function fullAt(...writes: readonly number[]): Ledger {
  const ledger = memoryLedger();
  let count = 0;
  return {
    ...ledger,
    append: (...entries) => {
      count += 1;
      if (writes.includes(count)) throw new Error('no space left on the disk');
      return ledger.append(...entries);
    },
  };
}

it('sends no bet that it could not write down', async () => {
  const front = await startFront();
  const { adapter } = startRig(front.url, { ledger: fullAt(1) });
  await expect(adapter.play(sessionOf(), '1.00', { win: '5.00' })).rejects.toThrow('no space left on the disk');
  expect(front.arrived).toEqual([]);
  expect(adapter.rounds()).toEqual([]);
  expect(await adapter.play(sessionOf(), '1.00', { win: '5.00' })).toMatchObject({ win: { kind: 'settled' } });
});

it.each([
  ['that a bet was accepted', [2, 3]],
  ['the win of a bet that was accepted', [3, 4]],
])('writes down %s as soon as it can, and goes on from there', async (_, writes) => {
  const front = await startFront();
  const faults: unknown[] = [];
  const { adapter } = startRig(front.url, { ledger: fullAt(...writes), onFault: (fault) => faults.push(fault) });
  expect(await adapter.play(sessionOf(), '1.00', { win: '5.00' })).toMatchObject({
    bet: { kind: 'accepted' },
    win: { kind: 'settled' },
  });
  expect(faults).toHaveLength(2);
  expect(front.arrived.map(({ call }) => call)).toEqual(['bet', 'win']);
  expect(front.balance()).toBe('1004.00');
});

it('sends a win again whose answer it could not write down', async () => {
  const front = await startFront();
  const { adapter } = startRig(front.url, { ledger: fullAt(4) });
  await adapter.play(sessionOf(), '1.00', { win: '5.00' });
  expect(adapter.owed()).toMatchObject([{ call: 'win', attempts: 1, trouble: 'the answer could not be recorded' }]);
  await settled(adapter);
  expect(front.arrived.map(({ call }) => call)).toEqual(['bet', 'win', 'win']);
  expect(front.balance()).toBe('1004.00');
});

it('plays on when the disk can not promise to keep what it was given', async () => {
  const front = await startFront();
  const faults: unknown[] = [];
  const ledger = { ...memoryLedger(), secured: () => Promise.reject(new Error('the disk is worn out')) };
  const { adapter } = startRig(front.url, { ledger, onFault: (fault) => faults.push(fault) });
  expect(await adapter.play(sessionOf(), '1.00', { win: '5.00' })).toMatchObject({ win: { kind: 'settled' } });
  expect(faults.map(String)).toEqual(['Error: the disk is worn out', 'Error: the disk is worn out']);
});

it('tells of a round whenever something happens in it', async () => {
  const front = await startFront();
  const heard: string[] = [];
  const { adapter } = startRig(front.url, {
    onRound: ({ round }) => heard.push([...round.bets, ...round.wins].map(({ status }) => status).join(' ')),
  });
  front.mishap = ({ call }, nth) => (call === 'win' && nth === 1 ? { kind: 'status', status: 500 } : undefined);
  await adapter.play(sessionOf(), '1.00', { win: '5.00' });
  await until(() => heard.length === 5, 'the win');
  expect(heard).toEqual(['sent', 'accepted', 'accepted sent', 'accepted pending', 'accepted settled']);
});
