import { z } from 'zod';
import type { ClientUnderTest, SessionUnderTest } from '../../engine/run-options.ts';
import { forTerminal } from '../../report/escape.ts';
import { UsageError } from '../exit-status.ts';
import { refuseKeyElsewhere } from './clients.ts';
import { withoutCredentials } from './hidden-text.ts';
import { runCommand, shownText, TIMEOUT_MS } from './run-command.ts';
import { type ClientConfig, sessionSchema } from './schema.ts';

type SessionsFrom = NonNullable<ClientConfig['sessionsFrom']>;

/** The client that needs sessions, and what its command needs to run. */
export interface SessionRequest {
  readonly extCID: string;
  /** The folder of the configuration, in which the command runs. */
  readonly dir: string;
  /** The address of the Core API, which the command gets in the variable CROUPIER_CORE_API; undefined if no Core API runs. */
  readonly coreApi?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * Runs the command that opens sessions for a test, or sends a request to the address that opens them.
 *
 * @returns the output of the command, or the body of the reply
 * @throws UsageError with the reason when the command or the call fails
 */
export function askForSessions(from: SessionsFrom, request: SessionRequest): Promise<string> {
  if (!('command' in from)) return askAddress(from, request);
  const { extCID, dir, coreApi, env, signal } = request;
  const own = { CROUPIER_EXT_CID: extCID, ...(coreApi !== undefined && { CROUPIER_CORE_API: coreApi }) };
  return runCommand(from.command, { what: `sessionsFrom of ${extCID}`, dir, env: { ...env, ...own }, signal });
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
  throw wrong(
    `returned a wrong list: ${shownText([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '))}`,
  );
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

/**
 * Names the source for messages. Leaves out the parts that may be secret: the arguments of the program, and the query of the
 * address.
 */
function nameOf(from: SessionsFrom): string {
  if ('command' in from) return forTerminal(from.command[0] ?? '');
  const { origin, pathname } = new URL(from.url);
  return forTerminal(withoutCredentials(`${origin}${pathname}`));
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
