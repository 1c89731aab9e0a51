import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The process that holds the lock of a player, as the lock file describes it. */
export interface Holder {
  /** A random text that no other lock has. */
  readonly token: string;
  readonly host: string;
  /** Names the place in which `pid` is unique: the host, the start of the host, and the container. */
  readonly machine: string;
  readonly pid: number;
  /** The start time of the process, in the format of the operating system. Only for comparison. Null if it is not known. */
  readonly started: string | null;
  /** The time at which the lock was taken, in UTC. */
  readonly since: string;
  /** The command, such as `run`. */
  readonly command: string;
  readonly extCID: string;
  /** The base URL of the operator, and the player or session that is in use. */
  readonly operator: string;
  readonly player: string;
  /** The absolute path of the journal on the host; null if the command writes none. */
  readonly journal: string | null;
}

/** Returns the fields of a lock file that describe this process. */
export function thisHolder(): Pick<Holder, 'host' | 'machine' | 'pid' | 'started'> {
  return { host: hostname(), machine: thisMachine(), pid: process.pid, started: startOf(process.pid) };
}

/** Reads a lock file. Returns undefined if the text does not describe a holder. */
export function readHolder(text: string): Holder | undefined {
  try {
    const read = JSON.parse(text) as Partial<Holder> | null;
    const texts = [read?.token, read?.host, read?.machine, read?.since, read?.command, read?.player];
    return texts.every((one) => typeof one === 'string') && Number.isInteger(read?.pid) ? (read as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * True if the holder's process runs, and false if it has ended. Undefined if this is not known, because the holder is on another
 * machine or in another container.
 */
export function isRunning({ machine, pid, started }: Holder): boolean | undefined {
  if (machine !== thisMachine()) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  // After the holder has ended, the system may give its process id to another process.
  return started === null || (startOf(pid) === started && !isZombie(pid));
}

/** True if the holder is this process. */
export function isThisProcess({ machine, pid }: Holder): boolean {
  return pid === process.pid && machine === thisMachine();
}

/** Returns the holder in words, such as `croupier run (process 123 on build-7, since 2026-11-25 18:05:12 UTC)`. */
export function holderText({ command, pid, host, since, journal }: Holder): string {
  const when = since.replace(/^(\S+)T(\d\d:\d\d:\d\d).*$/s, '$1 $2 UTC');
  return `croupier ${command} (process ${pid} on ${host}, since ${when}${journal === null ? '' : `, journal ${journal}`})`;
}

/**
 * Names the place in which a process id is unique. The host name is not enough: two containers of one host may have the same
 * host name, but different processes with the same id.
 */
function thisMachine(): string {
  return [hostname(), systemText(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()), pidNamespace()]
    .filter((part) => part !== null)
    .join(' ');
}

function pidNamespace(): string | null {
  return systemText(() => readlinkSync('/proc/self/ns/pid'));
}

/** True if a process has ended, but its parent has not noticed it yet, for example because the parent is stopped. */
function isZombie(pid: number): boolean {
  return systemText(() => statFields(pid)[0] ?? '') === 'Z';
}

/** Returns the time at which a process started, in ticks since the start of the system (proc_pid_stat(5), field 22). */
function startOf(pid: number): string | null {
  return systemText(() => statFields(pid)[19] ?? '');
}

/** Returns the fields of proc_pid_stat(5), from the third field on: the state of the process. */
function statFields(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program may contain spaces and parentheses, so the fields are counted from its end.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Reads a text that the system provides. Only Linux provides these texts. */
function systemText(read: () => string): string | null {
  try {
    return read() || null;
  } catch {
    return null;
  }
}
