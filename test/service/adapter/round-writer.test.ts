import { expect, it } from 'vitest';
import type { RoundEvent } from '../../../src/contract/round.ts';
import type { RoundRecord } from '../../../src/service/adapter/round-record.ts';
import { RoundStore } from '../../../src/service/adapter/round-store.ts';
import { openServiceDatabase } from '../../../src/service/service-database.ts';
import { settled, startAdapter, startFront, until } from './adapter-setup.ts';
import { sessionOf } from './sessions.ts';

/** A store that fails at the writes with the given numbers (counted from 1), as if the disk was full. */
class FullStore extends RoundStore {
  readonly #writes: readonly number[];
  #count = 0;

  constructor(...writes: readonly number[]) {
    super(openServiceDatabase());
    this.#writes = writes;
  }

  override begin(record: RoundRecord, bet: RoundEvent): RoundRecord {
    this.#write();
    return super.begin(record, bet);
  }

  override advance(roundID: string, event: RoundEvent, over?: boolean): RoundRecord {
    this.#write();
    return super.advance(roundID, event, over);
  }

  #write(): void {
    this.#count += 1;
    if (this.#writes.includes(this.#count)) throw new Error('no space left on the disk');
  }
}

/** A store whose disk never confirms a write. */
class UnconfirmedStore extends RoundStore {
  override flush(): Promise<void> {
    return Promise.reject(new Error('the disk is worn out'));
  }
}

it('the adapter sends no bet that could not be stored', async () => {
  const front = await startFront();
  const { adapter } = startAdapter(front.url, { store: new FullStore(1) });
  await expect(adapter.play(sessionOf(), '1.00', { win: '5.00' })).rejects.toThrow('no space left on the disk');
  expect(front.arrived).toEqual([]);
  expect(adapter.rounds()).toEqual([]);
  expect(await adapter.play(sessionOf(), '1.00', { win: '5.00' })).toMatchObject({ win: { kind: 'settled' } });
});

it.each([
  ['the acceptance of a bet', [2, 3]],
  ['the win of an accepted bet', [3, 4]],
])('the adapter tries again to store %s, and then continues the round', async (_, writes) => {
  const front = await startFront();
  const faults: unknown[] = [];
  const { adapter } = startAdapter(front.url, {
    store: new FullStore(...writes),
    onFault: (fault) => faults.push(fault),
  });
  expect(await adapter.play(sessionOf(), '1.00', { win: '5.00' })).toMatchObject({
    bet: { kind: 'accepted' },
    win: { kind: 'settled' },
  });
  expect(faults).toHaveLength(2);
  expect(front.arrived.map(({ call }) => call)).toEqual(['bet', 'win']);
  expect(front.balance()).toBe('1004.00');
});

it('the adapter sends a win again when the answer could not be stored', async () => {
  const front = await startFront();
  const { adapter } = startAdapter(front.url, { store: new FullStore(4) });
  await adapter.play(sessionOf(), '1.00', { win: '5.00' });
  expect(adapter.owed()).toMatchObject([
    { call: 'win', attempts: 1, trouble: 'the operator has answered, but the answer could not be stored' },
  ]);
  await settled(adapter);
  expect(front.arrived.map(({ call }) => call)).toEqual(['bet', 'win', 'win']);
  expect(front.balance()).toBe('1004.00');
});

it('the adapter continues the round and reports an error when the disk does not confirm a write', async () => {
  const front = await startFront();
  const faults: unknown[] = [];
  const store = new UnconfirmedStore(openServiceDatabase());
  const { adapter } = startAdapter(front.url, { store, onFault: (fault) => faults.push(fault) });
  expect(await adapter.play(sessionOf(), '1.00', { win: '5.00' })).toMatchObject({ win: { kind: 'settled' } });
  expect(faults.map(String)).toEqual(['Error: the disk is worn out', 'Error: the disk is worn out']);
});

it('the adapter reports a round after each event in it', async () => {
  const front = await startFront();
  const reported: string[] = [];
  const { adapter } = startAdapter(front.url, {
    onRound: ({ round }) => reported.push([...round.bets, ...round.wins].map(({ status }) => status).join(' ')),
  });
  front.mishap = ({ call }, nth) => (call === 'win' && nth === 1 ? { kind: 'status', status: 500 } : undefined);
  await adapter.play(sessionOf(), '1.00', { win: '5.00' });
  await until(() => reported.length === 5, 'the win');
  expect(reported).toEqual(['sent', 'accepted', 'accepted sent', 'accepted pending', 'accepted settled']);
});
