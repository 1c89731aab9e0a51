import { spawn } from 'node:child_process';
import path from 'node:path';

/** The path of the croupier command that was built. */
export const CROUPIER: string = path.join(import.meta.dirname, '..', 'bin', 'croupier.js');

interface Finished {
  readonly ms: number;
  readonly status: number | null;
  readonly stderr: string;
}

/** Runs a program to its end, and ignores what it prints on stdout. */
function runToEnd(program: string, args: readonly string[], cwd?: string): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    const errors: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
    child.once('error', reject);
    child.once('close', (status) => resolve({ ms: performance.now() - started, status, stderr: errors.join('') }));
  });
}

/**
 * Measures how long Node runs with these arguments, in milliseconds.
 *
 * @throws Error if Node failed, because the time of a failed run means nothing
 */
export function timeOf(args: readonly string[], cwd?: string): Promise<number> {
  return timeOfProgram(process.execPath, args, cwd);
}

/** Measures how long a program runs, in milliseconds. @throws Error if the program failed */
export async function timeOfProgram(program: string, args: readonly string[], cwd?: string): Promise<number> {
  const { ms, status, stderr } = await runToEnd(program, args, cwd);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with status ${status}:\n${stderr}`);
  return ms;
}
