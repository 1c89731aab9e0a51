import { chmodSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Database, DatabaseError } from '../../src/sqlite/database.ts';

let file: string;

beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'database-'));
  file = path.join(folder, 'test.sqlite');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function reasonOf(open: () => unknown): unknown {
  try {
    open();
  } catch (error) {
    return error instanceof DatabaseError ? error.reason : error;
  }
  return undefined;
}

it('a transaction commits all changes, or none if its work throws', () => {
  const database = new Database();
  database.run('CREATE TABLE one (n INTEGER) STRICT');
  const insert = () => database.prepared('INSERT INTO one (n) VALUES (1)').run();
  const count = () => database.prepared('SELECT count(*) AS count FROM one').get()?.count;
  expect(database.atomically(() => insert().changes)).toBe(1);
  const failing = () =>
    database.atomically(() => {
      insert();
      database.atomically(insert);
      throw new Error('stop');
    });
  expect(failing).toThrow('stop');
  expect(count()).toBe(1);
  database.close();
  database.close();
  expect(database.isOpen).toBe(false);
});

it('a full disk is reported as such although SQLite has already ended the transaction', () => {
  const database = new Database(file);
  database.run('CREATE TABLE one (text TEXT) STRICT; PRAGMA max_page_count = 4');
  const fill = () => database.prepared('INSERT INTO one (text) VALUES (?)').run('x'.repeat(100_000));
  expect(() => database.atomically(fill)).toThrow('database or disk is full');
  expect(database.atomically(() => 'free again')).toBe('free again');
  database.close();
});

it('the files of a database are readable for their owner only, even if the file was readable for others', () => {
  const open = () => {
    const database = new Database(file);
    database.run('CREATE TABLE IF NOT EXISTS one (n INTEGER) STRICT; INSERT INTO one (n) VALUES (1)');
    for (const name of [file, `${file}-wal`]) expect(statSync(name).mode & 0o777, name).toBe(0o600);
    database.close();
  };
  open();
  chmodSync(file, 0o644);
  open();
});

it('an exclusive file that is already open is refused, and can be opened once it is closed', () => {
  const first = new Database(file, { exclusive: true });
  expect(reasonOf(() => new Database(file, { exclusive: true }))).toBe('in-use');
  // The refused attempt must not have dropped the lock.
  expect(reasonOf(() => new Database(file, { exclusive: true }))).toBe('in-use');
  first.close();
  new Database(file, { exclusive: true }).close();
});

it('a file that is not a database is refused with advice', () => {
  writeFileSync(
    file,
    'not a database, and longer than the header of one is, which has 100 bytes, so that it is looked at at all',
  );
  expect(() => new Database(file)).toThrow(
    `${file} is damaged, or is not a database of croupier (file is not a database). Restore it from a copy, or move it away.`,
  );
});

it('a damaged file is refused when it is opened', () => {
  const database = new Database(file);
  database.run('CREATE TABLE one (text TEXT) STRICT');
  for (let row = 0; row < 100; row += 1) database.prepared('INSERT INTO one (text) VALUES (?)').run('x'.repeat(1000));
  database.close();
  truncateSync(file, 3 * 4096);
  expect(reasonOf(() => new Database(file))).toBe('unusable');
});

it('a folder is refused as a database', () => {
  expect(() => new Database(path.dirname(file))).toThrow('cannot be opened for reading and writing');
});
