import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { judgeOfCalls } from '../../../app/call-judge.ts';
import { resolveClients } from '../../../app/config/clients.ts';
import { diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { readPort, readPublicUrl } from '../../../app/config/flag-values.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { packageRoot, readBytes, whyUnreadable } from '../../../app/files.ts';
import { serviceClients } from '../../../app/run/launches.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { isLoopback } from '../../../pages/guard.ts';
import { curlLine } from '../../../report/curl.ts';
import { forTerminal } from '../../../report/escape.ts';
import type { ServiceClient } from '../../../service/client.ts';
import { largeCatalogue } from '../../../service/games.ts';
import { createService, type Service } from '../../../service/service.ts';
import type { ConsoleOptions } from '../../../service/service-options.ts';
import { listenForInterrupt, untilAborted } from '../../interrupt.ts';
import { scenarioWriter } from './exchange-scenario.ts';
import type { ServeCoreApiFlags, ServiceFlags } from './flags.ts';

/** Maximum time in milliseconds for open calls to finish after the stop signal. */
const GRACE_MS = 5000;

/**
 * `croupier serve core-api`: runs the service for the operators of the configuration, until a signal ends it.
 *
 * @returns 0
 */
export async function serveCoreApiCommand(flags: ServeCoreApiFlags, stdio: Stdio): Promise<number> {
  const { known, start } = await configuredService(flags, 'serve core-api', stdio);
  const stop = listenForInterrupt(stdio, 'Stopping.\n');
  const running = await start();
  try {
    const lines = known.map(
      ({ extCID, cID, integratorBaseUrl }) =>
        `client ${extCID}   cID ${cID}, requests signed with its apiKey; reverse calls go to ${integratorBaseUrl}`,
    );
    stdio.err.write(
      `${[...lines, `OpenAPI     ${running.url}/openapi.json`, 'Stop it:    Ctrl-C, or SIGTERM'].join('\n')}\n`,
    );
    stdio.out.write(`core-api ${running.baseUrl}\nconsole ${running.consoleUrl}\n`);
    await untilAborted(stop.signal);
  } finally {
    stop.dispose();
    await running.close(GRACE_MS);
  }
  return 0;
}

/**
 * Reads the clients of the configuration, for a service that calls their wallets.
 *
 * @param what the command, for messages
 * @returns the clients, the source of their credentials, and a function that starts the service
 * @throws UsageError if the configuration has a mistake, or a client has no cID or API key
 */
export async function configuredService(
  flags: ServiceFlags & Pick<ServeCoreApiFlags, 'config' | 'client'>,
  what: string,
  stdio: Stdio,
) {
  const configuration = await loadConfiguration(flags.config, stdio);
  const resolved = await resolveClients(configuration, { ...flags, launches: 1 }, stdio);
  const { clients, secrets, sources, diagnostics } = resolved;
  if (diagnostics.length > 0) throw diagnosticsError(diagnostics);
  const known = serviceClients(clients, sources, what);
  // The service can follow only one version of the contract. If the clients have different versions, the version of the
  // first client is used.
  const contract = flags.contract ?? clients[0]?.contract;
  const knownSessions = clients.flatMap(({ extCID, sessions }) =>
    sessions.map(({ sessionID, player = null, currency = null, gameID = null }) => ({
      extCID,
      sessionID,
      player,
      currency,
      gameID,
    })),
  );
  const service = { ...flags, ...(contract !== undefined && { contract }) };
  return { clients, known, sources, start: () => startService(known, secrets, service, stdio, { knownSessions }) };
}

/** A running service, and its addresses. */
export interface RunningService {
  readonly service: Service;
  readonly url: string;
  /** The base URL of the Core API. */
  readonly baseUrl: string;
  /** The URL of the console, with the token that opens it. */
  readonly consoleUrl: string;
  readonly close: (graceMs: number) => Promise<void>;
}

const TOKEN_BYTES = 16;

/** For a service that does not listen on loopback: says who can reach the service. */
function reachable({ host, publicUrl }: ServiceFlags): string {
  const address = publicUrl === undefined ? '' : ` Its public address is ${forTerminal(publicUrl)}.`;
  return `Other machines can reach the service, because it listens on ${forTerminal(host)}.${address} The Core API needs signed requests, and the console needs the token in its address.`;
}

/**
 * Starts the service.
 *
 * @param page the controls and the sessions that the console offers
 * @throws UsageError when its port or its folder can't be opened, or when two clients contradict each other
 */
export async function startService(
  clients: readonly ServiceClient[],
  secrets: readonly string[],
  flags: ServiceFlags,
  stdio: Stdio,
  page: Pick<ConsoleOptions, 'operator' | 'knownSessions'>,
): Promise<RunningService> {
  const port = readPort(flags.port);
  const publicUrl = flags.publicUrl === undefined ? undefined : readPublicUrl(flags.publicUrl, '--public-url');
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  try {
    const service = createService({
      judgeCalls: (sink) => judgeOfCalls(clients, sink),
      pages: {
        readPage: (name) => readBytes(path.join(packageRoot(), 'dist', 'pages', name)),
        console: {
          token,
          curlOf: ({ request }) => curlLine(request),
          scenarioOf: scenarioWriter(clients),
          ...page,
        },
      },
      clients,
      secrets,
      onFault: (error) => stdio.err.write(`The service failed: ${String(error)}\n`),
      ...(flags.largeCatalogue && { games: largeCatalogue() }),
      ...(flags.contract !== undefined && { contract: flags.contract }),
      ...(flags.data !== undefined && { dataDir: path.resolve(stdio.cwd, flags.data) }),
      ...(publicUrl !== undefined && { publicUrl }),
      ...(flags.sessionLife !== undefined && { sessionLifeMs: flags.sessionLife }),
      ...(flags.catalogueDelay !== undefined && { catalogueDelayMs: [flags.catalogueDelay, flags.catalogueDelay] }),
    });
    const served = await service.start({ port, host: flags.host });
    const isPublic = !isLoopback(flags.host);
    if (isPublic) stdio.err.write(`${reachable(flags)}\n`);
    return {
      service,
      url: served.url,
      baseUrl: served.baseUrl,
      consoleUrl: `${(isPublic ? publicUrl : undefined) ?? served.url}/console/?token=${token}`,
      close: served.close,
    };
  } catch (error) {
    throw new UsageError(`The service can't be started: ${whyUnreadable(error)}.`, { cause: error });
  }
}
