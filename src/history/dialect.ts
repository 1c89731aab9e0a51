import {
  type ColumnDefinitionBuilder,
  PostgresAdapter,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
} from 'kysely';

/** True if the database is PostgreSQL. Otherwise it is SQLite. */
export function isPostgres(database: QueryExecutorProvider): boolean {
  return database.getExecutor().adapter instanceof PostgresAdapter;
}

/** The types of columns for which the two databases have different names. */
interface Columns {
  /** The number of a row. A new row never gets the number of a removed row. */
  readonly number: {
    readonly type: 'integer' | 'serial';
    readonly constraints: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  };
  readonly bytes: RawBuilder<unknown>;
  /** A floating-point number of 8 bytes. */
  readonly double: RawBuilder<unknown>;
}

export function columnsFor(database: QueryExecutorProvider): Columns {
  if (isPostgres(database))
    return {
      number: { type: 'serial', constraints: (column) => column.primaryKey() },
      bytes: sql`bytea`,
      double: sql`double precision`,
    };
  return {
    number: { type: 'integer', constraints: (column) => column.primaryKey().autoIncrement() },
    bytes: sql`blob`,
    double: sql`real`,
  };
}

/**
 * Returns the SQL of the current time by the clock of the database, in ms since 1970. The clocks of the workers' machines may
 * differ, so these clocks are not used.
 */
export function databaseTime(database: QueryExecutorProvider): RawBuilder<number> {
  return isPostgres(database)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::double precision`
    : sql<number>`(unixepoch('now', 'subsec') * 1000.0)`;
}
