import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { ContractVersion } from '../contract/versions.ts';
import { curlLine } from '../report/curl.ts';
import type { ServiceClient } from '../service/client.ts';
import { largeCatalogue } from '../service/games.ts';
import { createService, type Service } from '../service/service.ts';
import { whyUnreadable } from './configuration.ts';
import { scenarioOfExchange } from './exchange-scenario.ts';
import { readBytes } from './package-files.ts';
import { packageRoot } from './package-root.ts';
import { readPort } from './port.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

/** How the service that croupier stands in for behaves. */
export interface ServiceFlags {
  readonly port?: string;
  readonly data?: string;
  readonly publicUrl?: string;
  readonly contract?: ContractVersion;
  readonly largeCatalogue?: boolean;
  readonly catalogueDelay?: number;
  readonly sessionLife?: number;
}

/** A service that listens, and where. */
export interface RunningService {
  readonly service: Service;
  readonly url: string;
  /** `{base_url}` of the Core API. */
  readonly baseUrl: string;
  /** The console, with the token that opens it. */
  readonly consoleUrl: string;
  readonly close: (graceMs: number) => Promise<void>;
}

const TOKEN_BYTES = 16;

/** @throws UsageError when its port or its folder can't be opened, or the clients contradict each other */
export async function startService(
  clients: readonly ServiceClient[],
  secrets: readonly string[],
  flags: ServiceFlags,
  stdio: Stdio,
): Promise<RunningService> {
  const port = readPort(flags.port);
  if (flags.publicUrl !== undefined && !/^https?:$/.test(URL.parse(flags.publicUrl)?.protocol ?? ''))
    throw new UsageError(`--public-url ${flags.publicUrl}: it must be an http or https address.`);
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  try {
    const service = createService({
      pages: {
        readPage: (name) => readBytes(path.join(packageRoot(), 'dist', 'pages', name)),
        console: { token, curlOf: ({ request }) => curlLine(request), scenarioOf: scenarioOfExchange },
      },
      clients,
      secrets,
      onFault: (error) => stdio.err.write(`The service failed: ${String(error)}\n`),
      ...(flags.largeCatalogue && { games: largeCatalogue() }),
      ...(flags.contract !== undefined && { contract: flags.contract }),
      ...(flags.data !== undefined && { dataDir: path.resolve(stdio.cwd, flags.data) }),
      ...(flags.publicUrl !== undefined && { publicUrl: flags.publicUrl.replace(/\/+$/, '') }),
      ...(flags.sessionLife !== undefined && { sessionLifeMs: flags.sessionLife }),
      ...(flags.catalogueDelay !== undefined && { catalogueDelayMs: [flags.catalogueDelay, flags.catalogueDelay] }),
    });
    const served = await service.start({ port });
    return {
      service,
      url: served.url,
      baseUrl: served.baseUrl,
      consoleUrl: `${served.url}/console/?token=${token}`,
      close: served.close,
    };
  } catch (error) {
    throw new UsageError(`The service can't be started: ${whyUnreadable(error)}`, { cause: error });
  }
}
