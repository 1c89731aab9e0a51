import { createRequire } from 'node:module';
import path from 'node:path';
// Imports the whole module, because a named import of getAssetKeys fails in the oldest supported Node.
import sea from 'node:sea';
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { DatabaseError } from '../sqlite/database.ts';
import { type HistoryTables, migrate, SCHEMA_VERSION } from './tables.ts';

/** The PostgreSQL schema of croupier's tables, so that the database can also contain the tables of other programs. */
const SCHEMA = 'croupier';
/** The number of the lock under which the tables are updated. No other lock of croupier has it. */
const MIGRATION_LOCK = 7_210_341;
/** Maximum number of connections of one process, and the times after which it gives up waiting, in ms. */
const MAX_CONNECTIONS = 8;
const CONNECT_MS = 10_000;
const QUERY_MS = 30_000;

/** The part of the package `pg` that is used here. */
interface PostgresPackage {
  readonly Pool: new (options: {
    connectionString: string;
    max: number;
    connectionTimeoutMillis: number;
    query_timeout: number;
    keepAlive: boolean;
    application_name: string;
  }) => PostgresPool & ErrorSource & { on(event: 'connect', listener: (connection: ErrorSource) => void): void };
}

/** An object that reports its failure with an event. Without a listener of this event, Node ends the process. */
interface ErrorSource {
  on(event: 'error', listener: (error: Error) => void): void;
}

/**
 * Opens the history in a PostgreSQL database. Creates or updates its tables if necessary.
 *
 * @param url the address of the database, such as `postgres://user@host/name`
 * @param cwd a folder from which the package `pg` can be found
 * @throws DatabaseError if the database can't be used. The message contains no password
 */
export async function openPostgres(url: string, cwd: string): Promise<Kysely<HistoryTables>> {
  const name = shownAddress(url);
  const { Pool } = postgresPackage(cwd);
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    application_name: 'croupier',
  });
  // If a connection breaks while nobody uses it, the pool replaces it with a new connection.
  pool.on('error', () => {});
  // The pool itself does not listen to a connection that is in use. If such a connection breaks between two queries, the next
  // query fails and reports it.
  pool.on('connect', (connection) => connection.on('error', () => {}));
  const plain = new Kysely<HistoryTables>({ dialect: new PostgresDialect({ pool }) });
  const history = plain.withSchema(SCHEMA);
  try {
    const version = await versionOf(plain);
    if (version > SCHEMA_VERSION) throw newer(name);
    if (version < SCHEMA_VERSION) await update(plain, name);
    return history;
  } catch (error) {
    await plain.destroy().catch(() => {});
    throw explained(error, name);
  }
}

/** True if a text is the address of a PostgreSQL database. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text) && URL.canParse(text);
}

/** Returns the address without user, password and options. */
function shownAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `the database ${pathname.slice(1) || '(default)'} at ${host || 'the local socket'}`;
}

/** Returns the version of the tables; 0 if there are no tables. */
async function versionOf(database: Kysely<HistoryTables>): Promise<number> {
  // The query reads the catalog itself. Functions such as `to_regclass` use a cache, which may not know a table that was just
  // created.
  const { rows } = await sql`
    select 1 from pg_catalog.pg_tables where schemaname = ${SCHEMA} and tablename = 'schema_version'`.execute(database);
  if (rows.length === 0) return 0;
  const row = await database.withSchema(SCHEMA).selectFrom('schema_version').select('version').executeTakeFirst();
  return row?.version ?? 0;
}

/** Updates the tables. Only one process at a time does this. The other processes then find the updated tables. */
async function update(database: Kysely<HistoryTables>, name: string): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
    const version = await versionOf(transaction);
    if (version > SCHEMA_VERSION) throw newer(name);
    if (version === SCHEMA_VERSION) return;
    const { rows } = await sql`select 1 from pg_catalog.pg_namespace where nspname = ${SCHEMA}`.execute(transaction);
    // A user without the right to create a schema may use a schema that the administrator has created.
    if (rows.length === 0) await transaction.schema.createSchema(SCHEMA).execute();
    await migrate(transaction.withSchema(SCHEMA), version);
  });
}

function newer(name: string): DatabaseError {
  return new DatabaseError(
    'newer',
    `The tables in ${name} were written by a newer version of croupier. Use that version.`,
  );
}

/**
 * Loads the package `pg`. Users install this package themselves, because few users need it. It is searched in the user's folder,
 * and in the folder that contains croupier.
 */
function postgresPackage(cwd: string): PostgresPackage {
  for (const from of [path.join(cwd, 'package.json'), sea.isSea() ? process.execPath : import.meta.filename]) {
    try {
      return createRequire(from)('pg') as PostgresPackage;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error;
    }
  }
  throw new DatabaseError(
    'unusable',
    'PostgreSQL needs the package pg, which is not installed. Install it beside croupier (npm install pg), or in this folder.',
  );
}

/** The codes of PostgreSQL for mistakes that stay until somebody changes the address or the database. */
const REFUSED: Readonly<Record<string, string>> = {
  '28P01': 'it refuses the user name or the password',
  '28000': 'it refuses the user',
  '3D000': 'it has no database of this name',
  '42501': 'the user lacks a right',
};

/** Returns the error with the name of the database and the reason in words. */
function explained(error: unknown, name: string): unknown {
  if (error instanceof DatabaseError || !(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const refused = REFUSED[code];
  // An AggregateError of several addresses has no message of its own.
  const why = error.message || code;
  return refused === undefined
    ? new DatabaseError('away', `There is no connection to ${name}: ${why}.`, { cause: error })
    : new DatabaseError('unusable', `There is no connection to ${name}: ${refused} (${why}).`, { cause: error });
}
