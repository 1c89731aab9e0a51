import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LEASE_VARIABLE } from './lease-messages.ts';

/**
 * Kills the process on this machine that still writes a journal, although its worker has lost the lease. Such a process is stopped:
 * otherwise it would have ended itself. It must not hold the locks of the players any longer. It has the name of the journal in its
 * command line, and the variable of a lease in its environment. So a program with which a person reads the journal is not killed.
 * Only on Linux: on other systems, the process ends itself when it goes on.
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
