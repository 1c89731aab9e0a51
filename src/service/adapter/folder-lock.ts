import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LedgerError } from './ledger-error.ts';

/** A folder that nobody else may write to. */
export interface FolderLock {
  release(): void;
}

/** The locks of this process. One that nobody holds on to would be collected, and its file unlocked, at any moment. */
const held = new Set<DatabaseSync>();

/**
 * Takes a folder for this process alone. The system gives it back when the process ends, however it ends: what is locked is an
 * empty SQLite file, because Node has no file locks of its own.
 *
 * @throws LedgerError when another service has it
 */
export function lockFolder(folder: string): FolderLock {
  const file = path.join(folder, 'ledger.lock');
  const holder = path.join(folder, 'ledger.pid');
  const database = new DatabaseSync(file);
  try {
    chmodSync(file, 0o600);
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isLocked(error)) throw error;
    throw new LedgerError(
      `${folder} is in use by another running service${readHolder(holder)}. Stop that one, or give this one a folder of its own.`,
    );
  }
  held.add(database);
  writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 });
  return {
    release: () => {
      rmSync(holder, { force: true });
      held.delete(database);
      database.close();
    },
  };
}

/** SQLITE_BUSY */
const BUSY = 5;

function isLocked(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return false;
  // The rest of the code says more exactly which way.
  return (error.errcode & 0xff) === BUSY;
}

function readHolder(file: string): string {
  try {
    return ` (process ${readFileSync(file, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
