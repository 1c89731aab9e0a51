import { randomUUID } from 'node:crypto';
import type { HeldLocks } from './held-locks.ts';
import { hold } from './held-locks.ts';
import { type Holder, isThisProcess, thisHolder } from './holder.ts';
import { LockFile } from './lock-file.ts';

const NO_LOCK: HeldLocks = { release: () => {} };

/**
 * Locks a journal, so that no other process writes to it or settles its run. The lock is a file beside the journal. So processes in
 * other containers and on other machines find it wherever they find the journal, whatever folder they use for other locks.
 *
 * @param file the absolute path of the journal. Its folder must exist
 * @param command the command that writes the journal, such as `run`
 * @returns the lock, or the other process that writes the journal
 */
export function lockJournal(file: string, command: string): HeldLocks | Holder {
  const lock = lockOf(file);
  const holder: Holder = {
    token: randomUUID(),
    ...thisHolder(),
    since: new Date().toISOString(),
    command,
    extCID: '',
    operator: '',
    player: '',
    journal: null,
  };
  try {
    return lock.take(holder, () => {}) ?? hold([lock]);
  } catch {
    // The user may write the journal, but not its folder. Then the journal has no lock.
    return NO_LOCK;
  }
}

/**
 * Returns the other process that writes a journal; `ended` if it was killed. Undefined if the journal has no lock, because its
 * process has ended itself, or is of an older version of croupier.
 */
export function lockedBy(file: string): Holder | 'ended' | undefined {
  const holder = lockOf(file).holder();
  if (holder === undefined || holder === 'ended') return holder;
  return isThisProcess(holder) ? undefined : holder;
}

function lockOf(file: string): LockFile {
  return new LockFile(lockPathOf(file), 0o600);
}

/** Returns the path of the lock of a journal. */
export function lockPathOf(file: string): string {
  return `${file}.lock`;
}
