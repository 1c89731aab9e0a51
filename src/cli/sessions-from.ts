import { spawn } from 'node:child_process';
import { z } from 'zod';
import type { ClientUnderTest, SessionUnderTest } from '../engine/run-options.ts';
import type { ClientConfig } from './config-schema.ts';
import { sessionSchema } from './config-schema.ts';
import { UsageError } from './usage-error.ts';

type SessionsFrom = NonNullable<ClientConfig['sessionsFrom']>;

/** Where a source is asked. */
export interface Asking {
  readonly extCID: string;
  /** The folder of the configuration. */
  readonly dir: string;
  /** Handed to a command as CROUPIER_CORE_API, so that it knows where to launch. */
  readonly coreApi?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const MOST_BYTES = 1_048_576;
const TIMEOUT_MS = 60_000;
const TOLD_OF_A_FAILURE = 400;

/**
 * Runs the command, or asks the address, that opens sessions for a test.
 *
 * @returns what was printed or answered
 * @throws UsageError when it fails, with what it said
 */
export function askForSessions(from: SessionsFrom, asking: Asking): Promise<string> {
  return 'command' in from ? runCommand(from.command, asking) : askAddress(from, asking);
}

/**
 * Reads a list of sessions as `sessions` in the configuration has them.
 *
 * @throws UsageError for anything else
 */
function readSessions(text: string, from: SessionsFrom, extCID: string): readonly SessionUnderTest[] {
  const wrong = (problem: string) =>
    new UsageError(
      `sessionsFrom of ${extCID}: ${nameOf(from)} ${problem}\nWanted is a JSON list like [{"sessionID":"s-1","player":"p-1","currency":"EUR"}]. Nothing was sent.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong(`gave no JSON: ${JSON.stringify(text.slice(0, TOLD_OF_A_FAILURE))}`);
  }
  const result = z.array(sessionSchema).min(1, 'an empty list').safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw wrong(`gave something else: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}`);
}

/**
 * The client with the sessions that its source opens, where it has one and none are configured.
 *
 * @throws UsageError when the source fails, or gives something else
 */
export async function withOwnSessions(
  client: ClientUnderTest,
  from: SessionsFrom | undefined,
  asking: Asking,
): Promise<ClientUnderTest> {
  if (!from || client.sessions.length > 0) return client;
  return { ...client, sessions: readSessions(await askForSessions(from, asking), from, asking.extCID) };
}

function nameOf(from: SessionsFrom): string {
  return 'command' in from ? from.command.join(' ') : from.url;
}

function runCommand(command: readonly string[], { extCID, dir, coreApi, env, signal }: Asking): Promise<string> {
  const [program = '', ...args] = command;
  const failed = (why: string) =>
    new UsageError(`sessionsFrom of ${extCID}: ${command.join(' ')} ${why} Nothing was sent.`);
  return new Promise((resolve, reject) => {
    const own = { CROUPIER_EXT_CID: extCID, ...(coreApi !== undefined && { CROUPIER_CORE_API: coreApi }) };
    const child = spawn(program, args, {
      cwd: dir,
      env: { ...env, ...own },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
      signal,
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (out.length < MOST_BYTES) out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (err.length < MOST_BYTES) err += text;
    });
    child.on('error', (error) => reject(failed(`could not be run: ${error.message}.`)));
    child.on('close', (code, killed) => {
      if (code === 0) resolve(out);
      else
        reject(
          failed(
            `ended with ${code === null ? `the signal ${killed}` : `status ${code}`}${err.trim() === '' ? '.' : `: ${err.trim().slice(0, TOLD_OF_A_FAILURE)}`}`,
          ),
        );
    });
  });
}

async function askAddress(
  { url, method = 'GET', headers, body }: Exclude<SessionsFrom, { readonly command: unknown }>,
  { extCID, signal }: Asking,
): Promise<string> {
  const failed = (why: string, cause?: unknown) =>
    new UsageError(`sessionsFrom of ${extCID}: ${method} ${url} ${why}. Nothing was sent.`, { cause });
  let status: number;
  let text: string;
  try {
    const reply = await fetch(url, {
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
    });
    ({ status } = reply);
    text = await reply.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw failed(`was not answered: ${cause instanceof Error ? cause.message : String(cause)}`, error);
  }
  if (status < 200 || status > 399) throw failed(`was answered ${status}: ${text.slice(0, TOLD_OF_A_FAILURE)}`);
  return text;
}
