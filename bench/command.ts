import { spawn } from 'node:child_process';
import path from 'node:path';

/** The built command line. */
export const CROUPIER: string = path.join(import.meta.dirname, '..', 'bin', 'croupier.js');

interface Finished {
  readonly ms: number;
  readonly status: number | null;
  readonly stderr: string;
}

/** Runs this Node with the arguments to its end; what it prints on stdout is thrown away. */
function node(args: readonly string[], cwd?: string): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    const errors: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
    child.once('error', reject);
    child.once('close', (status) => resolve({ ms: performance.now() - started, status, stderr: errors.join('') }));
  });
}

/** How long a command took. @throws Error when it did not succeed: what failed early was not measured */
export async function timeOf(args: readonly string[], cwd?: string): Promise<number> {
  const { ms, status, stderr } = await node(args, cwd);
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with status ${status}:\n${stderr}`);
  return ms;
}
