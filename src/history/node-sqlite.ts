import { SqliteDialect, type SqliteStatement } from 'kysely';
import type { Database } from '../sqlite/database.ts';

/** Returns the dialect with which Kysely uses a database of node:sqlite. When Kysely is destroyed, it closes the database. */
export function nodeSqlite(database: Database): SqliteDialect {
  return new SqliteDialect({
    database: {
      prepare: (sql) => {
        // After some errors, such as a full disk, SQLite has already ended the transaction itself. A rollback would then fail.
        if (sql === 'rollback' && !database.isTransaction) return NOTHING;
        // `begin immediate` takes the write lock at once. After a plain `begin` and a read, a write would fail if another process
        // has written since the read.
        const statement = database.prepared(sql === 'begin' ? 'begin immediate' : sql);
        return {
          reader: statement.columns().length > 0,
          all: (values) => statement.all(...values.map(sqliteValue)),
          run: (values) => statement.run(...values.map(sqliteValue)),
          iterate: (values) => statement.iterate(...values.map(sqliteValue)),
        };
      },
      close: () => database.close(),
    },
  });
}

/** A statement that does nothing. */
const NOTHING: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
};

/** Returns the value if it has one of the types that the tables contain. Throws a TypeError for any other value. */
function sqliteValue(value: unknown): string | number | Uint8Array | null {
  if (value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array)
    return value;
  throw new TypeError(`a value of the type ${typeof value} cannot be stored`);
}
