import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { RoundStore } from '../../src/service/adapter/round-store.ts';
import { Campaigns } from '../../src/service/campaigns.ts';
import { DemoBalances } from '../../src/service/demo-balances.ts';
import { GameSessions } from '../../src/service/game-sessions.ts';
import { openServiceDatabase } from '../../src/service/service-database.ts';

let folder: string;
let file: string;

beforeEach(() => {
  const parent = mkdtempSync(path.join(tmpdir(), 'service-database-'));
  folder = path.join(parent, 'data');
  file = path.join(folder, 'service.sqlite');
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
});

/** Starts another process that opens the database and then waits. */
async function openElsewhere() {
  const module = path.resolve(import.meta.dirname, '../../src/service/service-database.ts');
  const program = `const { openServiceDatabase } = await import(${JSON.stringify(module)});
    globalThis.database = openServiceDatabase(${JSON.stringify(folder)}); console.log('open'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return child;
}

it('only the owner can read the folder and files of the database', () => {
  const database = openServiceDatabase(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of ['service.sqlite', 'service.sqlite-wal', 'service.pid']) {
    expect(statSync(path.join(folder, name)).mode & 0o777, name).toBe(0o600);
  }
  database.close();
  expect(existsSync(path.join(folder, 'service.pid'))).toBe(false);
});

it('a folder that another service of the same process uses is refused', () => {
  const database = openServiceDatabase(folder);
  expect(() => openServiceDatabase(folder)).toThrow(
    `${folder} is in use by another running service (process ${process.pid}). Stop that service, or choose another folder for this one.`,
  );
  database.close();
  openServiceDatabase(folder).close();
});

it('a folder that another process uses is refused until that process is killed', async () => {
  const child = await openElsewhere();
  expect(() => openServiceDatabase(folder)).toThrow(`(process ${child.pid})`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  openServiceDatabase(folder).close();
});

it('the database of another program is refused and does not change', () => {
  openServiceDatabase(folder).close();
  rmSync(file);
  const other = new DatabaseSync(file);
  other.exec('CREATE TABLE theirs (n INTEGER); INSERT INTO theirs VALUES (7)');
  other.close();
  expect(() => openServiceDatabase(folder)).toThrow(
    `${file} was written by another program. Give the service another folder, or move the file away. Nothing was sent.`,
  );
  const again = new DatabaseSync(file);
  expect(again.prepare('SELECT n FROM theirs').all()).toEqual([{ n: 7 }]);
  again.close();
});

it('the database of a later version is refused', () => {
  const database = openServiceDatabase(folder);
  database.run('PRAGMA user_version = 2');
  database.close();
  expect(() => openServiceDatabase(folder)).toThrow(`${file} was written by another version of croupier.`);
});

it('a damaged database file is refused with a message that says what to do', () => {
  openServiceDatabase(folder).close();
  writeFileSync(file, 'x'.repeat(5000));
  expect(() => openServiceDatabase(folder)).toThrow(
    /service\.sqlite is damaged, or is not a database of croupier .*Restore it from a copy, or move it away\. Nothing was sent\./,
  );
});

it('a record that this version can’t read is refused with its key', () => {
  const database = openServiceDatabase(folder);
  database.prepared('INSERT INTO round (roundID, gsID, record) VALUES (?, ?, ?)').run('r1', 'gs', '{"loan":1}');
  expect(() => new RoundStore(database)).toThrow("service.sqlite: this version of croupier can't read the round r1.");
  database.prepared('INSERT INTO demo_balance (key, record) VALUES (?, ?)').run('k1', '[]');
  expect(() => new DemoBalances(database)).toThrow("can't read the demo balance k1");
  database.close();
});

const ROUND = 'aaaaaaaa-0000-4000-8000-000000000001';
const BET = 'bbbbbbbb-0000-4000-8000-000000000001';
const HEADER = '{"croupier-ledger":1}\n';
const BEGUN = `${JSON.stringify([
  {
    kind: 'round',
    record: {
      gsID: 'gs',
      extCID: 'acme',
      sessionID: 's',
      player: 'p',
      currency: 'USD',
      gameID: 'catch',
      round: { sessionID: 's', roundID: ROUND, bets: [], wins: [] },
      plannedWin: '2.00',
      free: { frID: 'spring', quantity: 3 },
      over: false,
      openedAt: 1,
      failed: {},
    },
  },
  {
    kind: 'event',
    roundID: ROUND,
    event: {
      kind: 'bet',
      txID: BET,
      refundTxID: 'cccccccc-0000-4000-8000-000000000001',
      amount: '1.00',
      type: 'free',
      frID: 'spring',
    },
  },
])}\n`;
const ANSWERED = `${JSON.stringify([{ kind: 'event', roundID: ROUND, event: { kind: 'reply', txID: BET, status: 500 } }])}\n`;

/** A folder as version 0.1.0 leaves it. It contains a refund that is owed. */
function leaveOldFiles(ledger = `${HEADER}${BEGUN}${ANSWERED}`): void {
  openServiceDatabase(folder).close();
  rmSync(file);
  writeFileSync(path.join(folder, 'ledger.ndjson'), ledger);
}

it('the files of version 0.1.0 are imported once', () => {
  const gsID = 'eeeeeeee-0000-4000-8000-000000000001';
  const session = {
    gsID,
    cID: 'c',
    extCID: 'acme',
    sessionID: 's',
    player: 'p',
    currency: 'USD',
    locale: 'en_us',
    gameID: 'catch',
    demo: false,
    openedAt: 0,
    expiresAt: 1000,
  };
  const purse = JSON.stringify(['c', 'acme', 'p', 'USD']);
  leaveOldFiles();
  writeFileSync(path.join(folder, 'sessions.ndjson'), `${JSON.stringify(session)}\n`);
  writeFileSync(
    path.join(folder, 'demo-balances.ndjson'),
    `${JSON.stringify({ purse, balance: '7' })}\n${JSON.stringify({ purse, balance: '5' })}\n{"purse":"torn`,
  );
  const campaign = {
    id: 'f1d3a1a4-8a5e-4b6d-9c51-0b7f6f0f9d11',
    cID: 'c',
    extCID: 'acme',
    extID: 'spring',
    currency: 'USD',
    quantity: 3,
    betLine: 1,
    validFrom: '2026-01-01T00:00:00Z',
    maxBet: '0.10',
    maxMult: '500.00',
  };
  writeFileSync(path.join(folder, 'campaigns.ndjson'), `${JSON.stringify(campaign)}\n`);

  for (const start of ['first', 'second']) {
    const database = openServiceDatabase(folder);
    const store = new RoundStore(database);
    expect(store.rounds(), start).toMatchObject([
      { round: { roundID: ROUND, bets: [{ status: 'refund-owed' }] }, plannedWin: '2.00', failed: {} },
    ]);
    expect(store.tallies()).toMatchObject([{ frID: 'spring', player: 'p', used: 0 }]);
    expect(new GameSessions({ database, now: () => 0 }).all()).toEqual([session]);
    expect(new Campaigns(database).all()).toEqual([campaign]);
    expect(
      new DemoBalances(database).balanceOf({ cID: 'c', extCID: 'acme', player: 'p', currency: 'USD' }).format(),
    ).toBe('5');
    database.close();
  }
  expect(existsSync(path.join(folder, 'ledger.ndjson'))).toBe(false);
  expect(readFileSync(path.join(folder, 'ledger.ndjson.imported'), 'utf8')).toContain(BET);
});

it('an imported file is not imported again if the process was killed before the file was renamed', () => {
  leaveOldFiles();
  const first = openServiceDatabase(folder);
  const refunded = { kind: 'reply', txID: 'cccccccc-0000-4000-8000-000000000001', status: 200 } as const;
  new RoundStore(first).advance(ROUND, refunded);
  first.close();
  writeFileSync(path.join(folder, 'ledger.ndjson'), readFileSync(path.join(folder, 'ledger.ndjson.imported')));
  const second = openServiceDatabase(folder);
  expect(new RoundStore(second).rounds()).toEqual([]);
  second.close();
});

it('a last line of an old file that was cut off is ignored', () => {
  leaveOldFiles(`${HEADER}${BEGUN}`);
  appendFileSync(path.join(folder, 'ledger.ndjson'), ANSWERED.slice(0, -20));
  const database = openServiceDatabase(folder);
  expect(new RoundStore(database).rounds()).toMatchObject([{ round: { bets: [{ status: 'sent' }] } }]);
  database.close();
});

it.each([
  ['text that is no JSON', `${HEADER}[{]\n`, 2],
  ['the ledger of another version', '{"croupier-ledger":2}\n', 1],
  ['an entry of an unknown kind', `${HEADER}${BEGUN}[{"kind":"loan"}]\n`, 3],
  ['an event in a round that did not begin', `${HEADER}${ANSWERED}`, 2],
])('an old ledger with %s is refused with its line number and does not change', (_, text, line) => {
  leaveOldFiles(text);
  for (let start = 0; start < 2; start += 1) {
    expect(() => openServiceDatabase(folder)).toThrow(
      `ledger.ndjson:${line}: this line is not in the format of version 0.1.0. Nothing was sent`,
    );
  }
  expect(readFileSync(path.join(folder, 'ledger.ndjson'), 'utf8')).toBe(text);
});

it('a folder that a service of version 0.1.0 uses is refused', () => {
  leaveOldFiles();
  const lock = new DatabaseSync(path.join(folder, 'ledger.lock'));
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  writeFileSync(path.join(folder, 'ledger.pid'), '4711\n');
  expect(() => openServiceDatabase(folder)).toThrow('is in use by another running service (process 4711)');
  lock.close();
  openServiceDatabase(folder).close();
  expect(existsSync(path.join(folder, 'ledger.lock'))).toBe(false);
});
