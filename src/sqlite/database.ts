import { chmodSync, closeSync, openSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Thrown if a database file cannot be used. The message names the file and says what to do. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /**
   * `in-use` if another process has the file open. `away` if a database server can't be reached. `newer` if a newer version of
   * croupier has written the tables. `unusable` if the file is damaged, is not a database, or cannot be opened.
   */
  readonly reason: 'in-use' | 'away' | 'newer' | 'unusable';

  constructor(reason: DatabaseError['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface DatabaseOptions {
  /**
   * True if no other connection can open the file until this one is closed or its process ends. By default, several processes
   * may use the file, and each waits up to 4 seconds for the others.
   */
  readonly exclusive?: boolean;
  /** False if the file is not searched for damage when it is opened, because that takes long for a large file. Default: true. */
  readonly isChecked?: boolean;
  /** True if `PRAGMA incremental_vacuum` can make the file smaller. It must be set when the file is created. Default: false. */
  readonly canShrink?: boolean;
}

/** The primary result codes of SQLite (https://www.sqlite.org/rescode.html) that are handled here. */
const RESULT = { busy: 5, readOnly: 8, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;

/**
 * A SQLite database with a write-ahead log. A committed transaction survives the end of the process. It also survives a crash
 * of the machine with `synchronous = FULL`, which is set at first.
 */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /**
   * Opens a database file, or creates it with mode 0600. The folder of the file must exist.
   *
   * @param file undefined keeps everything in memory
   * @throws DatabaseError if the file is in use, damaged or not a database
   * @throws Error of the system if the file cannot be created
   */
  constructor(file?: string, { exclusive = false, isChecked = true, canShrink = false }: DatabaseOptions = {}) {
    if (file !== undefined) makePrivate(file);
    try {
      const { DatabaseSync: Connection } = nodeSqlite();
      this.#connection = new Connection(file ?? ':memory:');
    } catch (error) {
      throw explained(error, file);
    }
    try {
      this.run(`PRAGMA busy_timeout = ${exclusive ? 0 : 4000}`);
      // The locking mode must be set before the first access. SQLite then needs no shared memory for the log, and keeps the
      // lock.
      if (exclusive) this.run('PRAGMA locking_mode = EXCLUSIVE');
      if (canShrink) this.run('PRAGMA auto_vacuum = INCREMENTAL');
      this.run('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      if (exclusive) this.run('BEGIN IMMEDIATE; COMMIT');
      const [check] = isChecked ? this.prepared('PRAGMA quick_check(1)').all() : [];
      if (check && check.quick_check !== 'ok') throw damaged(file, new Error(String(check.quick_check)));
    } catch (error) {
      this.#connection.close();
      throw explained(error, file);
    }
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  get isTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  /** Runs SQL statements that have no parameters and no result. */
  run(sql: string): void {
    this.#connection.exec(sql);
  }

  /** Returns the compiled statement for an SQL text. Compiles each text once. */
  prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Returns the value of a pragma whose value is a number. */
  pragma(name: string): number {
    return Number(this.prepared(`PRAGMA ${name}`).get()?.[name]);
  }

  /**
   * Runs the work in a transaction that holds the write lock from its beginning. Commits all changes, or none if the work
   * throws. Inside another transaction, the work becomes a part of that transaction.
   */
  atomically<T>(work: () => T): T {
    if (this.#connection.isTransaction) return work();
    this.prepared('BEGIN IMMEDIATE').run();
    try {
      const result = work();
      this.prepared('COMMIT').run();
      return result;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already ended the transaction itself. Then a rollback would fail.
      if (this.#connection.isTransaction) this.prepared('ROLLBACK').run();
      throw error;
    }
  }

  /** Closes the database. A second call does nothing. */
  close(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }
}

/** Returns the module node:sqlite. Node 22 prints a warning when it is loaded, which would be in the output of every run. */
function nodeSqlite(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * Creates the file with mode 0600, or sets that mode. SQLite gives its log the same mode. Does not open an existing file,
 * because closing any descriptor of a file drops all locks that the process holds on it (POSIX).
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    chmodSync(file, 0o600);
  }
}

/** True for the error of a database that another process uses, so that another attempt may work. */
export function isInUse(error: unknown): boolean {
  return error instanceof DatabaseError ? error.reason === 'in-use' : primaryCode(error) === RESULT.busy;
}

/**
 * Returns the lowest 8 bits of the result code of SQLite: the primary result code. The higher bits are details. Returns 0 for an
 * error of anything else.
 */
function primaryCode(error: unknown): number {
  const isOfSqlite = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
  return isOfSqlite ? Number(error.errcode) & 0xff : 0;
}

/** Returns the error with the name of the file and advice, if the message of SQLite has neither. */
export function explained(error: unknown, file: string | undefined): unknown {
  if (!(error instanceof Error)) return error;
  switch (primaryCode(error)) {
    case RESULT.busy:
      return new DatabaseError('in-use', `${file} is in use by another process.`, { cause: error });
    case RESULT.corrupt:
    case RESULT.notADatabase:
      return damaged(file, error);
    case RESULT.readOnly:
    case RESULT.cannotOpen:
      return new DatabaseError('unusable', `${file} cannot be opened for reading and writing: ${error.message}.`, {
        cause: error,
      });
    case RESULT.full:
      return new DatabaseError('unusable', `${file} cannot be written: the disk is full.`, { cause: error });
    default:
      return error;
  }
}

function damaged(file: string | undefined, cause: Error): DatabaseError {
  const message = `${file} is damaged, or is not a database of croupier (${cause.message}). Restore it from a copy, or move it away.`;
  return new DatabaseError('unusable', message, { cause });
}
