import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Adapter } from '../../../src/service/adapter/adapter.ts';
import { openLedger } from '../../../src/service/adapter/ledger.ts';
import type { LedgerEntry } from '../../../src/service/adapter/ledger-entry.ts';
import { LedgerError } from '../../../src/service/adapter/ledger-error.ts';
import type { RoundRecord } from '../../../src/service/adapter/round-record.ts';

let folder: string;
let file: string;

beforeEach(() => {
  const parent = mkdtempSync(path.join(tmpdir(), 'ledger-'));
  folder = path.join(parent, 'data');
  file = path.join(folder, 'ledger.ndjson');
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
});

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

function betOf(n: number): readonly LedgerEntry[] {
  const bet = { kind: 'bet', txID: uuid('b', n), refundTxID: uuid('c', n), amount: '1.00', type: 'regular' } as const;
  return [
    { kind: 'round', record: roundOf(n) },
    { kind: 'event', roundID: uuid('a', n), event: bet },
  ];
}

function declineOf(n: number): LedgerEntry {
  return { kind: 'event', roundID: uuid('a', n), event: { kind: 'reply', txID: uuid('b', n), status: 402 } };
}

it('gives back after a restart what was open, and only that', async () => {
  const before = openLedger(folder);
  before.append(...betOf(1));
  before.append(...betOf(2));
  expect(before.append(declineOf(2))?.round.bets).toMatchObject([{ status: 'declined' }]);
  await before.secured();
  await before.close();
  const after = openLedger(folder);
  expect(after.book.rounds).toEqual([
    { ...roundOf(1), round: { ...roundOf(1).round, bets: [expect.objectContaining({ status: 'sent' })] } },
  ]);
  expect(readFileSync(file, 'utf8')).not.toContain(uuid('a', 2));
  await after.close();
});

it('is for its owner alone', async () => {
  const ledger = openLedger(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of ['ledger.ndjson', 'ledger.lock', 'ledger.pid']) {
    expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  }
  await ledger.close();
});

it('leaves out a last line that was torn off', async () => {
  const before = openLedger(folder);
  before.append(...betOf(1));
  await before.close();
  appendFileSync(file, JSON.stringify(betOf(2)).slice(0, -20));
  const after = openLedger(folder);
  expect(after.book.rounds.map(({ round }) => round.roundID)).toEqual([uuid('a', 1)]);
  after.append(...betOf(3));
  await after.close();
  const last = openLedger(folder);
  expect(last.book.rounds).toHaveLength(2);
  await last.close();
});

it.each([
  ['text that is no JSON', '{"croupier-ledger":1}\n[{]\n', 2],
  ['the ledger of another version', '{"croupier-ledger":2}\n', 1],
  ['an entry that nobody knows', '{"croupier-ledger":1}\n[{"kind":"loan"}]\n', 2],
  ['an event in a round that is not there', `{"croupier-ledger":1}\n${JSON.stringify([declineOf(1)])}\n`, 2],
])('refuses %s, with its line, and leaves it as it is', async (_, text, line) => {
  await openLedger(folder).close();
  writeFileSync(file, text);
  expect(() => openLedger(folder)).toThrow(LedgerError);
  expect(() => openLedger(folder)).toThrow(`ledger.ndjson:${line}: this is not what a ledger of this version holds`);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('belongs to one service at a time, of this process or another', async () => {
  const ledger = openLedger(folder);
  expect(() => openLedger(folder)).toThrow(
    `${folder} is in use by another running service (process ${process.pid}). Stop that one, or give this one a folder of its own.`,
  );
  await ledger.close();
  const again = openLedger(folder);
  await again.close();
});

it('is free again when the process that had it was killed', async () => {
  const module = path.resolve(import.meta.dirname, '../../../src/service/adapter/ledger.ts');
  const program = `const { openLedger } = await import(${JSON.stringify(module)});
    openLedger(${JSON.stringify(folder)}); console.log('open'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  expect(() => openLedger(folder)).toThrow(`(process ${child.pid})`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const ledger = openLedger(folder);
  await ledger.close();
});

it('does not grow with rounds that are finished', async () => {
  const ledger = openLedger(folder, { compactBytes: 20_000 });
  ledger.append(...betOf(0));
  for (let n = 1; n <= 500; n += 1) {
    ledger.append(...betOf(n));
    ledger.append(declineOf(n));
  }
  expect(statSync(file).size).toBeLessThan(25_000);
  expect(ledger.book.rounds).toHaveLength(1);
  // Also while a sync is always under way.
  const syncs: Promise<void>[] = [];
  for (let n = 501; n <= 1000; n += 1) {
    ledger.append(...betOf(n));
    syncs.push(ledger.secured());
    ledger.append(declineOf(n));
    if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(syncs);
  await ledger.secured();
  await ledger.secured();
  expect(statSync(file).size).toBeLessThan(25_000);
  await ledger.close();
  const after = openLedger(folder);
  expect(after.book.rounds).toHaveLength(1);
  await after.close();
});

it('keeps what was appended while another sync was under way', async () => {
  const ledger = openLedger(folder);
  const order: string[] = [];
  const first = ledger.secured().then(() => order.push('first'));
  ledger.append(...betOf(1));
  const second = ledger.secured().then(() => order.push('second'));
  const third = ledger.secured().then(() => order.push('third'));
  await Promise.all([first, second, third]);
  expect(order).toEqual(['first', 'second', 'third']);
  await ledger.close();
  expect(() => ledger.append(...betOf(2))).toThrow('the ledger is closed');
});

it('goes on with everything that was owed when the process died, with the same ids', async () => {
  const reply = (n: number, status: number): LedgerEntry => ({
    kind: 'event',
    roundID: uuid('a', n),
    event: { kind: 'reply', txID: uuid('b', n), status },
  });
  const before = openLedger(folder);
  before.append(...betOf(1)); // Its answer never came.
  before.append(...betOf(2));
  before.append(reply(2, 500)); // Its refund is owed.
  before.append(...betOf(3));
  before.append(reply(3, 200)); // Its win was drawn but not placed.
  before.append(...betOf(4));
  before.append(reply(4, 200));
  const win = { kind: 'win', txID: uuid('d', 4), amount: '2.00', type: 'regular' } as const;
  before.append({ kind: 'event', roundID: uuid('a', 4), event: win, over: true }); // Its win is owed.
  before.append(...betOf(5));
  before.append(reply(5, 403)); // Nothing is owed.
  await before.close();

  const ledger = openLedger(folder);
  const sent: unknown[] = [];
  const adapter = new Adapter({
    ledger,
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
});
