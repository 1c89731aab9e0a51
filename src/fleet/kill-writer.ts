import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LEASE_VARIABLE } from './lease-messages.ts';

/**
 * Kills the process on this machine that still writes a journal, although its worker has lost the lease. The system has stopped
 * such a process: otherwise it would have ended itself. croupier kills the process, because it still has the locks of the players.
 *
 * The process is found by two facts: its command line has the name of the journal, and its environment has the variable of a lease.
 * So a program with which a person reads the journal is not killed.
 *
 * Does this only on Linux. On other systems, the process ends itself as soon as it continues.
 */
export function killWriter(journal: string): void {
  const name = path.basename(journal);
  for (const pid of processes()) {
    if (pid === process.pid || !wordsOf(pid, 'cmdline').some((word) => path.basename(word) === name)) continue;
    if (!wordsOf(pid, 'environ').some((word) => word.startsWith(`${LEASE_VARIABLE}=`))) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has just ended, or belongs to another user.
    }
  }
}

function processes(): readonly number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Returns the arguments or the environment of a process; an empty list if the process has ended or belongs to another user. */
function wordsOf(pid: number, what: 'cmdline' | 'environ'): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
