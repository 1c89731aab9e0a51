import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
export const BIN = path.join(ROOT, 'bin', 'croupier.js');
/** The single executable if it is under test. Then every test runs it, and finds no Node. */
export const EXECUTABLE: string | undefined =
  process.env.CROUPIER_EXECUTABLE && path.resolve(ROOT, process.env.CROUPIER_EXECUTABLE);

/** The program that gives a command its own terminal. */
export const PTY = 'script';

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Options {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** True if the process begins a process group of its own. Default: false. */
  readonly detached?: boolean;
}

/** Starts the built command line, without variables of the caller that change its behaviour. */
export function start(args: readonly string[], { cwd, env = {}, detached = false }: Options): ChildProcess {
  if (!existsSync(path.join(ROOT, 'dist', 'main.js'))) throw new Error('build first: npm run build');
  const { PATH, HOME } = process.env;
  if (EXECUTABLE) return spawn(EXECUTABLE, args, { cwd, detached, env: { PATH: '/nowhere', HOME, ...env } });
  return spawn(process.execPath, [BIN, ...args], { cwd, detached, env: { PATH, HOME, ...env } });
}

/** Runs the built command line until it ends. */
export async function croupier(args: readonly string[], options: Options): Promise<Ended> {
  const child = start(args, options);
  return ended(child, options.stdin);
}

/** The status and the output of a command. */
export async function ended(child: ChildProcess, stdin = ''): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return { status, out, err };
}

/** Waits for the first line on stdout that contains the text. */
export function line(child: ChildProcess, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      seen += piece;
      const found = seen
        .split('\n')
        .slice(0, -1)
        .find((each) => each.includes(text));
      if (found !== undefined) resolve(found);
    });
    child.on('close', () => reject(new Error(`it ended before it said ${text}: ${seen}`)));
  });
}
