import { spawn } from 'node:child_process';
import type { Stdio } from '../stdio.ts';

/** One execution of the command of `--disturb`. */
interface Disturbance {
  /** Time of its start, in milliseconds from the start of the load. */
  readonly atMs: number;
  /** The exit status of the command; null if it was ended by a signal, or could not be started. */
  readonly status: number | null;
}

/** Runs a command again and again while a load test runs. */
export interface Disturber {
  readonly disturbances: readonly Disturbance[];
  /** Starts no further command, and waits for the command that is running. */
  stop(): Promise<void>;
}

/**
 * Runs the command of `--disturb` in a shell, for the first time after one interval. If a command takes longer than the interval,
 * the next command begins later.
 *
 * @param now returns the time since the start of the load, in milliseconds
 */
export function startDisturbing(
  { command, everyMs }: { readonly command: string; readonly everyMs: number },
  now: () => number,
  { cwd, env, err }: Stdio,
): Disturber {
  const disturbances: Disturbance[] = [];
  let running = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    const atMs = Math.round(now());
    running = runInShell(command, cwd, env).then((status) => {
      isRunning = false;
      disturbances.push({ atMs, status });
      if (status !== 0)
        err.write(`--disturb: the command ended with ${status === null ? 'a signal' : `status ${status}`}.\n`);
    });
  }, everyMs);
  return {
    disturbances,
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

/**
 * Runs a command without input and output streams. A server that the command starts in the background would keep these streams
 * open.
 */
function runInShell(command: string, cwd: string, env: Stdio['env']): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd, env: { ...env }, shell: true, stdio: 'ignore' });
    child.on('error', () => resolve(null));
    child.on('exit', (status) => resolve(status));
  });
}
