import type { z } from 'zod';
import { type Database, DatabaseError } from '../sqlite/database.ts';

/** The tables of the service that hold records as JSON, by one key each. */
type TableName = 'session' | 'campaign' | 'demo_balance' | 'tally';

/** Records that outlive the process, in a table with the columns `id`, `key` and `record`. */
export class RecordTable<R> {
  readonly #database: Database;
  readonly #table: TableName;
  readonly #keyOf: (record: R) => string;

  /** @throws DatabaseError when a row is not a record of this schema */
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

  /** In the order in which their keys were stored first. */
  all(): readonly R[] {
    const rows = this.#database.prepared(`SELECT record FROM ${this.#table} ORDER BY id`).all();
    return rows.map(({ record }) => JSON.parse(String(record)));
  }

  /** Stores a record, in the place of one with the same key. It outlives the process when this returns. */
  put(record: R): void {
    const sql = `INSERT INTO ${this.#table} (key, record) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET record = excluded.record`;
    this.#database.prepared(sql).run(this.#keyOf(record), JSON.stringify(record));
  }

  delete(key: string): void {
    this.#database.prepared(`DELETE FROM ${this.#table} WHERE key = ?`).run(key);
  }
}

/**
 * Reads what a row holds.
 *
 * @param what the row is about, for the message
 * @throws DatabaseError when it is not a record of this schema
 */
export function readRecord<R>(schema: z.ZodType<R>, json: unknown, what: string): R {
  try {
    return schema.parse(JSON.parse(String(json)));
  } catch (error) {
    throw new DatabaseError(
      'unusable',
      `service.sqlite: ${what} is not what this version stores. Nothing was sent. Restore the file from a copy, or move it away; ` +
        'what it says is owed will then not be sent.',
      { cause: error },
    );
  }
}
