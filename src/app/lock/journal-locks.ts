import { rmSync } from 'node:fs';
import { EXIT, interruptedStatus } from '../exit-status.ts';
import type { Stdio } from '../stdio.ts';
import type { HeldLocks } from './held-locks.ts';
import type { LockSettings } from './lock-folder.ts';
import { type LockRequest, lockPlayers } from './player-locks.ts';
import { inUseText, PlayersInUse } from './players-in-use.ts';

/**
 * Locks the players of a client for a command that has begun its journal. If another process uses the players, removes the
 * empty journal and prints which process uses them.
 *
 * @returns the locks, or the exit status of the command if it must end
 */
export async function lockForJournal(
  request: Omit<LockRequest, 'journal' | 'stdio'> & { readonly stdio: Stdio },
  journal: { readonly path: string; close(): unknown },
  lock: LockSettings,
): Promise<HeldLocks | number> {
  try {
    return await lockPlayers({ ...request, journal: journal.path }, lock);
  } catch (error) {
    journal.close();
    rmSync(journal.path, { force: true });
    if (!(error instanceof PlayersInUse)) throw error;
    request.stdio.err.write(inUseText(error));
    return request.signal.aborted ? interruptedStatus(request.signal) : EXIT.UNDECIDED;
  }
}
