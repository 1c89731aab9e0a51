import { resolveClients } from './clients.ts';
import { complaintsError, loadConfiguration } from './configuration.ts';
import { listenForInterrupt } from './interrupt.ts';
import { serviceClients } from './launches.ts';
import type { ClientFlags } from './run-flags.ts';
import { type ServiceFlags, startService } from './service-flags.ts';
import type { Stdio } from './stdio.ts';
import { untilAborted } from './until-aborted.ts';

export type ServeCoreApiFlags = ServiceFlags & Pick<ClientFlags, 'config' | 'client'>;

/** How long replies and calls under way may take once it is told to stop. */
const GRACE_MS = 5000;

/** `croupier serve core-api`: the service for the operator of the configuration, until a signal ends it. */
export async function serveCoreApiCommand(flags: ServeCoreApiFlags, stdio: Stdio): Promise<number> {
  const configuration = await loadConfiguration(flags.config, stdio);
  const { clients, secrets, sources, complaints } = await resolveClients(
    configuration,
    { ...flags, launches: 1 },
    stdio,
  );
  if (complaints.length > 0) throw complaintsError(complaints);
  const known = serviceClients(clients, sources, 'serve core-api');
  const stop = listenForInterrupt(stdio, 'Stopping.\n');
  // One service behaves in one way, so that of several versions the first client's counts.
  const contract = flags.contract ?? clients[0]?.contract;
  const running = await startService(known, secrets, { ...flags, ...(contract !== undefined && { contract }) }, stdio);
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
