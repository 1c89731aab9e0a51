import { type ChildProcess, spawn } from 'node:child_process';
import { runCommand } from '../app/config/run-command.ts';
import { EXIT } from '../app/exit-status.ts';
import type { Stdio } from '../app/stdio.ts';
import { stopSignalOf } from '../journal/event.ts';
import { type CheckedOperator, fleetEnvironment } from './check-fleet.ts';

/** The settings with which runs are started as processes, and the signals that end them. */
export interface Processes {
  /** The arguments of this program that come before a command: the path of its script. Empty in the single executable. */
  readonly program: readonly string[];
  /** The folder of fleet.yaml. */
  readonly dir: string;
  readonly env: Stdio['env'];
  /**
   * Aborted when each run must end its open rounds and then end. The reason is the name of the signal of the operating system, such
   * as SIGINT.
   */
  readonly signal: AbortSignal;
  /** Aborted when each run must end at once. */
  readonly atOnce: AbortSignal;
}

/** The result of a process. */
export interface ProcessEnd {
  /** The exit status; `EXIT.BUG` if a signal has killed the process. */
  readonly status: number;
  /** The first line of the output, or the first lines of the error output if there is no other output. */
  readonly line: string;
  /**
   * The messages of the run in addition to its report, for example that the run is not in the history. Empty if `line` is from the
   * error output, or after a stop signal.
   */
  readonly notices: readonly string[];
}

/**
 * Returns the arguments of the run that judges an operator. Asks the operator's program for the build.
 *
 * @throws UsageError if this program fails
 */
export async function runArguments(
  operator: CheckedOperator,
  { dir, env, signal }: Processes,
): Promise<readonly string[]> {
  const { name, build } = operator;
  const ownEnv = fleetEnvironment(env);
  const id = build && (await runCommand(build.command, { what: `${name}: build`, dir, env: ownEnv, signal }));
  return argumentsFor(operator, id?.trim());
}

/** Returns the settings for the runs of one operator. Their environment says where the results are posted. */
export function processesOf({ notify }: Pick<CheckedOperator, 'notify'>, processes: Processes): Processes {
  if (!notify) return processes;
  return { ...processes, env: { ...processes.env, CROUPIER_NOTIFY: JSON.stringify(notify) } };
}

/** Starts a command of croupier in the folder of the fleet. @param lease the environment of a lease; undefined without one */
export function startProcess(
  args: readonly string[],
  { program, dir, env }: Processes,
  lease?: Readonly<Record<string, string>>,
): ChildProcess {
  return spawn(process.execPath, [...program, ...args], {
    cwd: dir,
    // A run under a lease does not use the database. So it does not get the address of the database, which
    // may contain a password.
    env: { ...fleetEnvironment(env), ...(lease && { ...lease, CROUPIER_DATABASE: undefined }) },
    stdio: ['ignore', 'pipe', 'pipe', ...(lease ? (['ipc'] as const) : [])],
    // The result of a run contains bytes, which JSON can't express.
    serialization: 'advanced',
  });
}

function argumentsFor(
  { config, extCID, rate, baseline, contract, select = [] }: CheckedOperator,
  build: string | undefined,
): readonly string[] {
  const flag = (name: string, value: string | number | undefined): readonly string[] =>
    value === undefined ? [] : [name, String(value)];
  return [
    'run',
    ...select,
    ...flag('--config', config),
    ...flag('--client', extCID),
    ...flag('--rate', rate),
    ...flag('--baseline', baseline),
    ...flag('--contract', contract),
    ...flag('--label', build === undefined ? undefined : `build=${build}`),
    '--no-github',
    '--no-color',
  ];
}

/** Maximum number of characters of each stream that are kept. */
const MAX_KEPT = 65_536;

/**
 * Lines that are true only while the run plays: its progress, and that it waits for a player. After the run, these lines are left
 * out.
 */
const OVER = /^\d+\/\d+ scenarios · |Waiting for up to \d+ s \(--lock-wait\) …$/;

/** Waits for the end of a run. If a stop signal comes, passes the signal on to the process of the run. */
export async function processEnd(
  child: ChildProcess,
  { signal, atOnce }: Pick<Processes, 'signal' | 'atOnce'>,
): Promise<ProcessEnd> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (out.length < MAX_KEPT) out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err = (err + text).slice(-MAX_KEPT);
  });
  const stop = (): void => void child.kill(stopSignalOf(signal));
  signal.addEventListener('abort', stop);
  atOnce.addEventListener('abort', stop);
  try {
    const status = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? EXIT.BUG));
    });
    const first = out.split('\n', 1)[0] ?? '';
    const errors = err.trim() === '' ? [] : err.trim().split('\n');
    if (first === '') return { status, line: errors.slice(0, 3).join(' ') || 'the run printed nothing', notices: [] };
    // After a stop signal, each run prints the same message about the interrupt. So these messages are left out.
    const notices = signal.aborted ? [] : errors.filter((text) => !OVER.test(text));
    return { status, line: first, notices };
  } finally {
    signal.removeEventListener('abort', stop);
    atOnce.removeEventListener('abort', stop);
  }
}
