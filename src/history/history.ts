import { existsSync } from 'node:fs';
import path from 'node:path';
import { Kysely, sql } from 'kysely';
import { makeFolder } from '../folder/make-folder.ts';
import { Database, DatabaseError, explained } from '../sqlite/database.ts';
import { isPostgres } from './dialect.ts';
import { nodeSqlite } from './node-sqlite.ts';
import { type HistoryTables, migrate, SCHEMA_VERSION } from './tables.ts';

/** The history of a folder: an open database. `destroy` closes it. */
export type History = Kysely<HistoryTables>;

/** The name of the database in the folder `.croupier`. */
const HISTORY_FILE = 'history.sqlite';

/** Returns the path of the history of a working directory. */
export function historyFile(cwd: string): string {
  return path.join(cwd, '.croupier', HISTORY_FILE);
}

/**
 * Opens a history, or creates it. Several processes may use it at the same time. Updates the tables if an earlier version of
 * croupier has written them.
 *
 * @param file the path of the database, whose folder must exist; undefined keeps everything in memory
 * @throws DatabaseError if the file cannot be used, or if a newer version of croupier has written it
 */
export async function openHistory(file: string | undefined): Promise<History> {
  const database = new Database(file, { isChecked: false, canShrink: true });
  const history = new Kysely<HistoryTables>({ dialect: nodeSqlite(database) });
  try {
    // With NORMAL, a power failure may lose the latest runs, but not the file.
    database.run('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
    if (versionOf(database, file) !== SCHEMA_VERSION)
      // Another process may have updated the tables after the version was read above. So the version is read again.
      await history.transaction().execute(async (transaction) => {
        const version = versionOf(database, file);
        if (version > SCHEMA_VERSION) throw newer(file);
        if (version < SCHEMA_VERSION) await migrate(transaction, version);
      });
    return history;
  } catch (error) {
    database.close();
    throw explained(error, file);
  }
}

/** The place of a history. */
export interface HistoryPlace {
  /** The folder whose `.croupier` contains the file of the history. */
  readonly dir: string;
  /** The database that has the history instead: the address of a PostgreSQL database, or another file. Undefined if there is none. */
  readonly database: string | undefined;
}

/**
 * Opens the history of a place, or creates it.
 *
 * @throws DatabaseError if the database cannot be used, or if a newer version of croupier has written it
 */
export async function openHistoryAt({ dir, database }: HistoryPlace): Promise<History> {
  if (database !== undefined && isAddress(database)) return openServer(database, dir);
  const file = fileOf({ dir, database });
  makeFolder(path.dirname(file), 0o700);
  return openHistory(file);
}

/**
 * Opens a history to read it. Does not create a file.
 *
 * @returns undefined if the folder has no history
 * @throws DatabaseError if the database cannot be used, or if a newer version of croupier has written it
 */
export async function openExistingHistory({ dir, database }: HistoryPlace): Promise<History | undefined> {
  if (database !== undefined && isAddress(database)) return openServer(database, dir);
  const file = fileOf({ dir, database });
  return existsSync(file) ? openHistory(file) : undefined;
}

/** True if the text names a server, and not a file. A Windows path begins with a single letter and a colon. */
export function isAddress(database: string): boolean {
  return /^[a-z][a-z0-9+.-]+:/i.test(database);
}

function fileOf({ dir, database }: HistoryPlace): string {
  return database === undefined ? historyFile(dir) : path.resolve(dir, database);
}

async function openServer(database: string, dir: string): Promise<History> {
  const { isPostgresAddress, openPostgres } = await import('./postgres.ts');
  if (!isPostgresAddress(database))
    throw new DatabaseError(
      'unusable',
      'A database must be a file, or an address of the form postgres://user@host/name (--database or CROUPIER_DATABASE).',
    );
  return openPostgres(database, dir);
}

/** Makes the file of a history smaller after runs were removed. PostgreSQL uses the space again by itself. */
export async function shrink(history: History): Promise<void> {
  if (isPostgres(history)) return;
  await sql`PRAGMA incremental_vacuum`.execute(history);
  await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(history);
}

/** Returns the version of the tables; 0 if there are no tables. */
function versionOf(database: Database, file: string | undefined): number {
  const names = database.prepared("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  if (names.length === 0) return 0;
  if (!names.some(({ name }) => name === 'schema_version')) throw foreign(file);
  return Number(database.prepared('SELECT version FROM schema_version').get()?.version ?? 0);
}

function foreign(file: string | undefined): DatabaseError {
  return new DatabaseError('unusable', `${file} was written by another program. Move the file away.`);
}

function newer(file: string | undefined): DatabaseError {
  return new DatabaseError(
    'newer',
    `${file} was written by a newer version of croupier. Use that version, or move the file away to begin a new history.`,
  );
}
