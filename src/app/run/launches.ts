import { plural } from '../../contract/plural.ts';
import type { ClientUnderTest, SessionUnderTest } from '../../engine/run-options.ts';
import type { LaunchRequest } from '../../journal/launch.ts';
import { forTerminal } from '../../report/escape.ts';
import type { ServiceClient } from '../../service/client.ts';
import { createService } from '../../service/service.ts';
import type { SessionSource } from '../config/clients.ts';
import { readPort, readPublicUrl } from '../config/flag-values.ts';
import type { RunFlags } from '../config/run-flags.ts';
import { askForSessions } from '../config/sessions-from.ts';
import { UsageError } from '../exit-status.ts';
import type { Stdio } from '../stdio.ts';

/** The Core API that `run --launches` serves, and the games that operators launched on it. */
export interface Launches {
  /** Waits until the client has launched the requested number of sessions, or until the waiting time is over. */
  readonly sessionsOf: (client: ClientUnderTest) => Promise<readonly SessionUnderTest[]>;
  /** Returns the requests that the client's backend has sent so far. */
  readonly requestsOf: (client: ClientUnderTest) => readonly LaunchRequest[];
  readonly close: () => Promise<void>;
}

/** The settings of a run that the Core API needs. */
export interface LaunchOptions {
  readonly flags: Pick<RunFlags, 'launches' | 'launchWait' | 'coreApiPort' | 'coreApiHost' | 'coreApiUrl'>;
  readonly sources: ReadonlyMap<string, SessionSource>;
  /** The folder of the configuration, in which `sessionsFrom` runs its command. */
  readonly dir: string;
  readonly signal: AbortSignal;
  readonly stdio: Stdio;
}

const WAIT_MS = 300_000;

/**
 * Starts a Core API. The operator's own backend launches games on it, and the run then judges their sessions.
 *
 * @throws UsageError when a client has no credentials for the Core API, or the port can't be opened
 */
export async function openLaunches(clients: readonly ClientUnderTest[], options: LaunchOptions): Promise<Launches> {
  const { flags, sources, stdio, signal, dir } = options;
  const { launches: wanted = 1 } = flags;
  const waitMs = flags.launchWait ?? WAIT_MS;
  const publicUrl = flags.coreApiUrl === undefined ? undefined : readPublicUrl(flags.coreApiUrl, '--core-api-url');
  const seen: (LaunchRequest & { readonly extCID?: string })[] = [];
  let onLaunch = () => {};
  const service = createService({
    clients: serviceClients(clients, sources, '--launches'),
    onFault: (error) => stdio.err.write(`The Core API failed: ${forTerminal(String(error))}\n`),
    ...(clients[0]?.contract !== undefined && { contract: clients[0].contract }),
    ...(publicUrl !== undefined && { publicUrl }),
  });
  service.onLaunchSeen((one) => {
    seen.push(one);
    stdio.err.write(`${forTerminal(launchLine(one))}\n`);
    onLaunch();
  });
  const served = await service
    .start({
      port: readPort(flags.coreApiPort, '--core-api-port'),
      ...(flags.coreApiHost !== undefined && { host: flags.coreApiHost }),
    })
    .catch((error: unknown) => {
      throw new UsageError(`The Core API can't be started: ${error instanceof Error ? error.message : String(error)}.`);
    });
  const baseUrl = publicUrl === undefined ? served.baseUrl : served.baseUrl.replace(served.url, publicUrl);
  stdio.err.write(`core-api ${baseUrl}\n`);

  const requestsOf = ({ extCID }: ClientUnderTest) =>
    seen.filter((one) => (one.extCID ?? claimedBy(one, clients)) === extCID);
  return {
    requestsOf,
    close: () => served.close(0),
    sessionsOf: async (client) => {
      const { extCID } = client;
      const from = sources.get(extCID)?.from;
      const enough = () => launched(requestsOf(client)).length >= wanted;
      if (from) await askForSessions(from, { extCID, dir, coreApi: baseUrl, env: stdio.env, signal });
      else if (!enough()) stdio.err.write(`${extCID} must launch ${plural(wanted, 'game')}.\n`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        const check = () => {
          if (!enough() && !signal.aborted) return;
          clearTimeout(timer);
          resolve();
        };
        onLaunch = check;
        signal.addEventListener('abort', check, { once: true });
        check();
      });
      const sessions = launched(requestsOf(client));
      return sessions.length > 0 ? sessions : refusedSessions(requestsOf(client));
    },
  };
}

/**
 * Returns the clients in the form that the simulated service needs.
 *
 * @param what the command or flag that needs the service, for the message
 * @throws UsageError when a client has no cID or API key
 */
export function serviceClients(
  clients: readonly ClientUnderTest[],
  sources: ReadonlyMap<string, SessionSource>,
  what: string,
): readonly ServiceClient[] {
  return clients.map((client) => {
    const { extCID, integrationApiKey, integratorBaseUrl, paths, headers } = client;
    const { coreApi } = sources.get(extCID) ?? {};
    const identity = identityOf(extCID, sources, what);
    return { extCID, integrationApiKey, integratorBaseUrl, paths, headers, ...identity, ...coreApi };
  });
}

function identityOf(extCID: string, sources: ReadonlyMap<string, SessionSource>, what: string) {
  const { cID, apiKey } = sources.get(extCID) ?? {};
  if (cID !== undefined && apiKey !== undefined) return { cID, apiKey };
  const missing = [
    ...(cID === undefined ? [{ what: 'a cID', line: 'cID: my-client' }] : []),
    ...(apiKey === undefined ? [{ what: 'an apiKey', line: 'apiKey: ${API_KEY}' }] : []),
  ];
  throw new UsageError(
    [
      `${what}: ${extCID} needs ${missing.map((one) => one.what).join(' and ')} in croupier.yaml, so that its backend can call the Core API.`,
      `Add to this client, with any values that you invent, because the service is croupier's own${apiKey === undefined ? ' (export API_KEY=an-invented-key sets the key)' : ''}:`,
      ...missing.map(({ line }) => `    ${line}`),
      'If your own backend launches the games, it must use the same values.',
    ].join('\n'),
  );
}

/**
 * For a request with a wrong signature, returns the ExtCID of the client that probably sent it: the client that the request
 * names, or the only client. Undefined if this is unknown.
 */
function claimedBy({ fields }: LaunchRequest, clients: readonly ClientUnderTest[]): string | undefined {
  const [only] = clients;
  return (clients.find(({ extCID }) => extCID === fields?.extCID) ?? (clients.length === 1 ? only : undefined))?.extCID;
}

/** Returns the sessions of accepted launches, without duplicates. Demo sessions are left out. */
function launched(requests: readonly LaunchRequest[]): readonly SessionUnderTest[] {
  const sessions = requests.flatMap(({ session }) => (session && !session.demo ? [session] : []));
  return [...new Map(sessions.map((session) => [session.sessionID, session])).values()].map(
    ({ sessionID, player, currency, gameID }) => ({ sessionID, player, currency, gameID }),
  );
}

/** Returns the sessions of refused launches. They exist at the operator, so calls can still use them. */
function refusedSessions(requests: readonly LaunchRequest[]): readonly SessionUnderTest[] {
  const ids = requests.flatMap(({ operation, fields }) =>
    operation === 'createNewGame' && typeof fields?.sessionID === 'string' && fields.sessionID !== ''
      ? [fields.sessionID]
      : [],
  );
  return [...new Set(ids)].map((sessionID) => ({ sessionID }));
}

const OPERATIONS: Readonly<Record<LaunchRequest['operation'], string>> = {
  createNewGame: 'POST /create-new-game',
  games: 'GET /games',
  freeRounds: 'GET /free-rounds',
  createFreeRounds: 'POST /free-rounds',
  cancelFreeRounds: 'DELETE /free-rounds',
};

function launchLine({
  extCID,
  operation,
  status,
  code,
  message,
  session,
  diagnostics,
}: LaunchRequest & { readonly extCID?: string }) {
  const who = extCID ?? 'unknown client';
  const more = session
    ? `session ${session.sessionID}${session.demo ? ', demo' : ''}`
    : [code, ...(diagnostics.length > 0 ? diagnostics.map((one) => `${one.field}: ${one.message}`) : [message])]
        .filter(Boolean)
        .join(', ');
  return `  ${who}  ${OPERATIONS[operation]}  ${status}${more === '' ? '' : `  ${more}`}`;
}
