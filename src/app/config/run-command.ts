import { spawn } from 'node:child_process';
import { forTerminal } from '../../report/escape.ts';
import { UsageError } from '../exit-status.ts';
import { withoutCredentials } from './hidden-text.ts';

/** Maximum number of characters of the output that are kept. */
const MAX_OUTPUT = 1_048_576;
/** Maximum time for a command or a call of the configuration. */
export const TIMEOUT_MS = 60_000;
/** Maximum number of characters of the output of a command, or of a reply, in messages. */
const MAX_SHOWN = 400;

/** Shortens a text from outside for a message, and removes control characters and credentials. */
export function shownText(text: string): string {
  // First the credentials are removed, and then the text is cut to the length for a message. In the opposite order, the cut could
  // leave a part of a credential that croupier does not recognise.
  const clean = forTerminal(withoutCredentials(text.slice(0, MAX_OUTPUT).trim()));
  return clean.length > MAX_SHOWN ? `${clean.slice(0, MAX_SHOWN)}…` : clean;
}

/** The folder, the environment and the abort signal for a command that the configuration names. */
interface Surroundings {
  /** The key of the configuration that names the command, for messages. */
  readonly what: string;
  /** The folder of the configuration, in which the command runs. */
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/**
 * Runs a command that the configuration names, and returns its output. Messages do not show the arguments, because an argument
 * may be a secret.
 *
 * @throws UsageError with the reason when the command fails
 */
export function runCommand(command: readonly string[], { what, dir, env, signal }: Surroundings): Promise<string> {
  const [program = '', ...args] = command;
  const failed = (why: string) => new UsageError(`${what}: ${forTerminal(program)} ${why} Nothing was sent.`);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: dir,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
      ...(signal && { signal }),
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (out.length < MAX_OUTPUT) out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (err.length < MAX_OUTPUT) err += text;
    });
    child.on('error', (error) => reject(failed(`could not be run: ${shownText(error.message)}.`)));
    child.on('close', (code, killed) => {
      if (code === 0) resolve(out);
      else
        reject(
          failed(
            `ended with ${code === null ? `the signal ${killed}` : `status ${code}`}${err.trim() === '' ? '.' : `: ${shownText(err)}`}`,
          ),
        );
    });
  });
}
