import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../folder/make-folder.ts';
import { Database, DatabaseError } from '../sqlite/database.ts';
import { importOldFiles } from './old-files.ts';

/** The number that marks a database file of the service (SQLite, `application_id`): the text "CrSv". */
const APPLICATION_ID = 0x43725376;
/** The version of the tables (SQLite, `user_version`). Increase it with every change of the tables. */
const SCHEMA_VERSION = 1;

const RECORDS = 'id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, record TEXT NOT NULL';

const SCHEMA = `
  CREATE TABLE session (${RECORDS}) STRICT;
  CREATE TABLE campaign (${RECORDS}) STRICT;
  CREATE TABLE demo_balance (${RECORDS}) STRICT;
  CREATE TABLE tally (${RECORDS}) STRICT;
  CREATE TABLE round (
    id INTEGER PRIMARY KEY,
    roundID TEXT NOT NULL UNIQUE,
    gsID TEXT NOT NULL,
    tally TEXT,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX round_of_session ON round (gsID);
  CREATE INDEX round_of_tally ON round (tally) WHERE tally IS NOT NULL;
  CREATE TABLE ended_campaign (extCID TEXT NOT NULL, frID TEXT NOT NULL, PRIMARY KEY (extCID, frID)) STRICT, WITHOUT ROWID;
  CREATE TABLE imported_file (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL) STRICT;
  CREATE TABLE sync (count INTEGER NOT NULL) STRICT;
  INSERT INTO sync (count) VALUES (0);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** The database of the service, in a folder of its own. No other process can use the folder until the database is closed. */
class ServiceDatabase extends Database {
  readonly #holder: string;

  constructor(folder: string, holder: string) {
    super(path.join(folder, 'service.sqlite'), { exclusive: true });
    this.#holder = holder;
    writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 });
  }

  override close(): void {
    if (this.isOpen) rmSync(this.#holder, { force: true });
    super.close();
  }
}

const NOT_SENT =
  'Nothing was sent. If you move the file away, the service never sends the wins and refunds in this file.';

/**
 * Opens the database of the service in a folder. A missing folder is created, readable for its owner only. Files of
 * version 0.1.0 in the folder are imported once.
 *
 * @param folder undefined for a database in memory
 * @throws DatabaseError when another service uses the folder, or when its content can't be read
 */
export function openServiceDatabase(folder?: string): Database {
  if (folder === undefined) {
    const database = new Database();
    database.run(SCHEMA);
    return database;
  }
  makeFolder(folder, 0o700);
  const holder = path.join(folder, 'service.pid');
  const database = openAlone(() => new ServiceDatabase(folder, holder), folder, holder);
  try {
    database.atomically(() => prepare(database, path.join(folder, 'service.sqlite')));
    importFrom010(database, folder);
    // With NORMAL, a commit survives the end of the process, but perhaps not a power failure. If a change must also survive a
    // power failure, `RoundStore.flush` writes it to the disk.
    database.run('PRAGMA synchronous = NORMAL');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Creates the tables in a new file. Throws a DatabaseError if another program or another version wrote the file. */
function prepare(database: Database, file: string): void {
  const application = database.pragma('application_id');
  const version = database.pragma('user_version');
  if (application === APPLICATION_ID && version === SCHEMA_VERSION) return;
  const isEmpty = database.prepared('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (application === 0 && version === 0 && isEmpty) {
    database.run(SCHEMA);
    return;
  }
  const origin = application === APPLICATION_ID ? 'another version of croupier' : 'another program';
  throw new DatabaseError(
    'unusable',
    `${file} was written by ${origin}. Give the service another folder, or move the file away. ${NOT_SENT}`,
  );
}

/**
 * Imports the files of version 0.1.0. A service of version 0.1.0 holds a lock on `ledger.lock` while it runs. This function
 * takes the same lock, so that it never reads the files of a running service.
 */
function importFrom010(database: Database, folder: string): void {
  const file = path.join(folder, 'ledger.lock');
  const holder = path.join(folder, 'ledger.pid');
  const lock = existsSync(file) ? openAlone(() => new Database(file, { exclusive: true }), folder, holder) : undefined;
  try {
    importOldFiles(database, folder);
  } finally {
    lock?.close();
  }
  for (const name of [file, holder]) rmSync(name, { force: true });
}

/**
 * Opens a database that no other process may use.
 *
 * @param holder the file that contains the id of the process that uses the folder
 */
function openAlone<T>(open: () => T, folder: string, holder: string): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.reason === 'in-use') throw folderInUse(folder, holder);
    throw new DatabaseError('unusable', `${error.message} ${NOT_SENT}`, { cause: error });
  }
}

/**
 * Returns the error for a folder that another service uses.
 *
 * @param holder the file that contains the id of the process that uses the folder
 */
function folderInUse(folder: string, holder: string): DatabaseError {
  const id = existsSync(holder) ? ` (process ${readFileSync(holder, 'utf8').trim()})` : '';
  return new DatabaseError(
    'in-use',
    `${folder} is in use by another running service${id}. Stop that service, or choose another folder for this one.`,
  );
}
