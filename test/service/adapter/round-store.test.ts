import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { RoundEvent } from '../../../src/contract/round.ts';
import { Adapter } from '../../../src/service/adapter/adapter.ts';
import type { RoundRecord } from '../../../src/service/adapter/round-record.ts';
import { RoundStore } from '../../../src/service/adapter/round-store.ts';
import { openServiceDatabase } from '../../../src/service/service-database.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'round-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** Opens the store of a folder, uses it, and closes its database, like a service that ends. */
function use<T>(work: (store: RoundStore) => T): T {
  const database = openServiceDatabase(folder);
  try {
    return work(new RoundStore(database));
  } finally {
    database.close();
  }
}

function roundOf(n: number): RoundRecord {
  return {
    gsID: 'gs',
    extCID: 'acme',
    sessionID: 's',
    player: 'p',
    currency: 'USD',
    gameID: 'catch',
    round: { sessionID: 's', roundID: uuid('a', n), bets: [], wins: [] },
    plannedWin: '2.00',
    free: null,
    over: false,
    openedAt: n,
    failed: {},
  };
}

function uuid(kind: string, n: number): string {
  return `${kind.repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

function betOf(n: number): RoundEvent {
  return { kind: 'bet', txID: uuid('b', n), refundTxID: uuid('c', n), amount: '1.00', type: 'regular' };
}

function begin(store: RoundStore, n: number): RoundRecord {
  return store.begin(roundOf(n), betOf(n));
}

function reply(store: RoundStore, n: number, status: number): RoundRecord {
  return store.advance(uuid('a', n), { kind: 'reply', txID: uuid('b', n), status });
}

it('the round store keeps only open rounds over a restart', () => {
  use((store) => {
    begin(store, 1);
    begin(store, 2);
    expect(reply(store, 2, 402).round.bets).toMatchObject([{ status: 'declined' }]);
    expect(store.finished.map(({ round }) => round.roundID)).toEqual([uuid('a', 2)]);
  });
  use((store) => {
    expect(store.rounds()).toEqual([
      { ...roundOf(1), round: { ...roundOf(1).round, bets: [expect.objectContaining({ status: 'sent' })] } },
    ]);
    expect(store.round(uuid('a', 2))).toBeUndefined();
    expect([store.hasRoundOf('gs'), store.hasRoundOf('other')]).toEqual([true, false]);
    expect(store.roundsOf('gs')).toHaveLength(1);
  });
});

it('the round store changes nothing when an event is not possible', () => {
  use((store) => {
    expect(() => store.begin(roundOf(1), { kind: 'timeout', txID: uuid('b', 1) })).toThrow(RangeError);
    expect(store.rounds()).toEqual([]);
    begin(store, 1);
    expect(() => reply(store, 2, 200)).toThrow(RangeError);
    expect(() => store.advance(uuid('a', 1), { kind: 'timeout', txID: uuid('d', 1) })).toThrow('tx-id-unknown');
    expect(store.rounds()).toMatchObject([{ round: { bets: [{ status: 'sent' }] } }]);
  });
});

it('the round store does not grow with finished rounds, on the disk or in memory', () => {
  use((store) => {
    begin(store, 0);
    for (let n = 1; n <= 1000; n += 1) {
      begin(store, n);
      reply(store, n, 402);
    }
    expect(store.finished).toHaveLength(200);
    expect(store.finished.at(-1)?.round.roundID).toBe(uuid('a', 1000));
  });
  expect(statSync(path.join(folder, 'service.sqlite')).size).toBeLessThan(100_000);
  expect(use((store) => store.rounds())).toHaveLength(1);
});

it('the round store writes to the disk once for all calls of flush in the same turn', async () => {
  const database = openServiceDatabase(folder);
  const store = new RoundStore(database);
  const syncs = () => database.prepared('SELECT count FROM sync').get()?.count;
  begin(store, 1);
  await Promise.all([store.flush(), store.flush()]);
  expect(syncs()).toBe(1);
  begin(store, 2);
  await store.flush();
  expect(syncs()).toBe(2);
  // A change that is only in memory is written to the disk when the database is closed.
  const last = store.flush();
  database.close();
  await last;
});

it('an adapter sends the calls that were owed when the process was killed, with the same ids', async () => {
  use((store) => {
    begin(store, 1); // Its answer never came.
    begin(store, 2);
    reply(store, 2, 500); // Its refund is owed.
    begin(store, 3);
    reply(store, 3, 200); // Its win was drawn but not placed.
    begin(store, 4);
    reply(store, 4, 200);
    const win = { kind: 'win', txID: uuid('d', 4), amount: '2.00', type: 'regular' } as const;
    store.advance(uuid('a', 4), win, true); // Its win is owed.
    begin(store, 5);
    reply(store, 5, 403); // Nothing is owed.
  });

  const database = openServiceDatabase(folder);
  const sent: unknown[] = [];
  const adapter = new Adapter({
    store: new RoundStore(database),
    send: async ({ call, fields }) => {
      sent.push({ call, ...fields });
      const body = { encoding: 'utf8', data: '{}', length: 2, truncated: false } as const;
      return { kind: 'reply', reply: { status: 200, headers: [], body } };
    },
    uuid: () => uuid('e', 3),
    clock: () => 0,
    sleep: () => Promise.resolve(),
    random: () => 0,
  });
  await expect.poll(() => sent.length).toBe(4);
  expect(adapter.owed()).toEqual([]);
  expect(sent).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ call: 'refund', txID: uuid('c', 1), origTxID: uuid('b', 1), amount: '1.00' }),
      expect.objectContaining({ call: 'refund', txID: uuid('c', 2), origTxID: uuid('b', 2), roundID: uuid('a', 2) }),
      expect.objectContaining({ call: 'win', txID: uuid('e', 3), roundID: uuid('a', 3), amount: '2.00' }),
      expect.objectContaining({ call: 'win', txID: uuid('d', 4), roundID: uuid('a', 4), amount: '2.00' }),
    ]),
  );
  await adapter.close();
  database.close();
});
