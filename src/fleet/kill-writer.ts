import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Kills the process on this machine that still writes a journal, although its worker has lost the lease. Such a process is stopped:
 * otherwise it would have ended itself. It must not hold the locks of the players any longer. The name of a journal is unique, so no
 * other process has it in its command line. Only on Linux: on other systems, the process ends itself when it goes on.
 */
export function killWriter(journal: string): void {
  const name = path.basename(journal);
  for (const pid of processes()) {
    if (pid === process.pid || !commandLine(pid).some((word) => path.basename(word) === name)) continue;
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

function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
