import type { z } from 'zod';
import { type Database, DatabaseError } from '../sqlite/database.ts';

/** The tables of the service's database in which each row is a JSON record with a unique key. */
type TableName = 'session' | 'campaign' | 'demo_balance' | 'tally';

/** Records that are kept in a table of the database. The table has the columns `id`, `key` and `record`. */
export class RecordTable<R> {
  readonly #database: Database;
  readonly #table: TableName;
  readonly #keyOf: (record: R) => string;

  /**
   * Opens a table, and checks all its rows.
   *
   * @throws DatabaseError when a row is not a record of this schema
   */
  constructor(database: Database, table: TableName, schema: z.ZodType<R>, keyOf: (record: R) => string) {
    this.#database = database;
    this.#table = table;
    this.#keyOf = keyOf;
    for (const { key, record } of database.prepared(`SELECT key, record FROM ${table}`).all())
      readRecord(schema, record, `the ${table.replace('_', ' ')} ${String(key)}`);
  }

  get(key: string): R | undefined {
    const row = this.#database.prepared(`SELECT record FROM ${this.#table} WHERE key = ?`).get(key);
    return row && JSON.parse(String(row.record));
  }

  /** Returns all records, in the order in which their keys were first stored. */
  all(): readonly R[] {
    const rows = this.#database.prepared(`SELECT record FROM ${this.#table} ORDER BY id`).all();
    return rows.map(({ record }) => JSON.parse(String(record)));
  }

  /**
   * Stores a record, and replaces the record with the same key. Once `put` returns, the record is kept even if the
   * process is killed.
   */
  put(record: R): void {
    const sql = `INSERT INTO ${this.#table} (key, record) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET record = excluded.record`;
    this.#database.prepared(sql).run(this.#keyOf(record), JSON.stringify(record));
  }

  delete(key: string): void {
    this.#database.prepared(`DELETE FROM ${this.#table} WHERE key = ?`).run(key);
  }
}

/**
 * Checks and returns the record in a row.
 *
 * @param what the name of the record for the error message, such as `the round 5f2c`
 * @throws DatabaseError when the row is not a record of this schema
 */
export function readRecord<R>(schema: z.ZodType<R>, json: unknown, what: string): R {
  try {
    return schema.parse(JSON.parse(String(json)));
  } catch (error) {
    throw new DatabaseError(
      'unusable',
      `service.sqlite: this version of croupier can't read ${what}. Nothing was sent. Restore the file from a copy, or move it away. ` +
        'If you move it away, the service never sends the wins and refunds in this file.',
      { cause: error },
    );
  }
}
