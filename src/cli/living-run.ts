import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { RunStarted } from '../journal/event.ts';

/** What a journal says of the process that writes it. */
export function thisProcess(): NonNullable<RunStarted['process']> {
  return { pid: process.pid, host: hostname() };
}

/** The process that writes a journal, while it is there; undefined: it is gone, or that can't be told from here. */
export function livingProcess({ process: writer }: RunStarted): number | undefined {
  if (!writer || writer.host !== hostname() || writer.pid === process.pid) return undefined;
  return isAlive(writer.pid) && isCroupier(writer.pid) ? writer.pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is a process.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Numbers of processes are given again. Where the system doesn't say what a process is, it is taken for ours. */
function isCroupier(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('croupier');
  } catch {
    return true;
  }
}
