import { spawn } from 'node:child_process';
import { z } from 'zod';
import type { ClientUnderTest, SessionUnderTest } from '../../engine/run-options.ts';
import { forTerminal } from '../../report/escape.ts';
import { UsageError } from '../exit-status.ts';
import { refuseKeyElsewhere } from './clients.ts';
import { withoutCredentials } from './hidden-text.ts';
import { type ClientConfig, sessionSchema } from './schema.ts';

type SessionsFrom = NonNullable<ClientConfig['sessionsFrom']>;

/** The client that needs sessions, and what its command needs to run. */
export interface SessionRequest {
  readonly extCID: string;
  /** The folder of the configuration, in which the command runs. */
  readonly dir: string;
  /** The address of the Core API, which the command gets as CROUPIER_CORE_API; undefined if no Core API runs. */
  readonly coreApi?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 1_048_576;
const TIMEOUT_MS = 60_000;
const MAX_SHOWN = 400;

/**
 * Runs the command, or calls the address, that opens sessions for a test.
 *
 * @returns the output of the command, or the body of the reply
 * @throws UsageError with the reason when the command or the call fails
 */
export function askForSessions(from: SessionsFrom, request: SessionRequest): Promise<string> {
  return 'command' in from ? runCommand(from.command, request) : askAddress(from, request);
}

/**
 * Reads a JSON list of sessions, with the same fields as `sessions` in the configuration.
 *
 * @throws UsageError when the text is not such a list
 */
function readSessions(text: string, from: SessionsFrom, extCID: string): readonly SessionUnderTest[] {
  const wrong = (problem: string) =>
    new UsageError(
      `sessionsFrom of ${extCID}: ${nameOf(from)} ${problem}\nIt must give a JSON list such as [{"sessionID":"s-1","player":"p-1","currency":"EUR"}]. Nothing was sent.`,
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong(`did not give JSON: "${shownText(text)}"`);
  }
  const result = z.array(sessionSchema).min(1, 'an empty list').safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw wrong(`gave a wrong list: ${shownText([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '))}`);
}

/**
 * Returns the client with the sessions that its source opens. If the configuration lists sessions, returns the client
 * unchanged.
 *
 * @throws UsageError when the source fails, or does not give a list of sessions
 */
export async function withOwnSessions(
  client: ClientUnderTest,
  from: SessionsFrom | undefined,
  request: SessionRequest,
): Promise<ClientUnderTest> {
  if (!from || client.sessions.length > 0) return client;
  const opened = { ...client, sessions: readSessions(await askForSessions(from, request), from, request.extCID) };
  refuseKeyElsewhere(opened, [client.integrationApiKey]);
  return opened;
}

/** Names the source without what may be secret: the arguments of the program, and the query of the address. */
function nameOf(from: SessionsFrom): string {
  if ('command' in from) return forTerminal(from.command[0] ?? '');
  const { origin, pathname } = new URL(from.url);
  return forTerminal(withoutCredentials(`${origin}${pathname}`));
}

/** Shortens what the source wrote, and removes control characters and credentials. */
function shownText(text: string): string {
  // The text is cut last, because the rest of a cut credential might not be recognised.
  const clean = forTerminal(withoutCredentials(text.slice(0, MAX_BYTES).trim()));
  return clean.length > MAX_SHOWN ? `${clean.slice(0, MAX_SHOWN)}…` : clean;
}

function runCommand(
  command: readonly string[],
  { extCID, dir, coreApi, env, signal }: SessionRequest,
): Promise<string> {
  const [program = '', ...args] = command;
  const failed = (why: string) =>
    new UsageError(`sessionsFrom of ${extCID}: ${nameOf({ command: [...command] })} ${why} Nothing was sent.`);
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
      if (out.length < MAX_BYTES) out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (err.length < MAX_BYTES) err += text;
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

async function askAddress(
  { url, method = 'GET', headers, body }: Exclude<SessionsFrom, { readonly command: unknown }>,
  { extCID, signal }: SessionRequest,
): Promise<string> {
  const failed = (why: string, cause?: unknown) =>
    new UsageError(`sessionsFrom of ${extCID}: ${method} ${nameOf({ url })} ${why}. Nothing was sent.`, { cause });
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
    throw failed(`was not answered: ${shownText(cause instanceof Error ? cause.message : String(cause))}`, error);
  }
  if (status < 200 || status > 399) throw failed(`was answered ${status}: ${shownText(text)}`);
  return text;
}
