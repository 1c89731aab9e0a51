import { randomBytes, randomUUID } from 'node:crypto';
import type { ClientUnderTest } from '../engine/run-options.ts';
import type { LaunchRequest } from '../journal/launch.ts';
import { createBackend } from '../operator/backend.ts';
import { type Behaviour, CORRECT } from '../operator/behaviour.ts';
import { DEMO_CAMPAIGN, demoOperator } from '../operator/demo.ts';
import { createOperator } from '../operator/operator.ts';
import type { ServiceClient } from '../service/client.ts';
import { createService } from '../service/service.ts';

/** The embedded reference operator on a local port, with a client that can call it. */
export interface Reference {
  readonly client: ClientUnderTest;
  readonly campaign: string;
  /** True if its accounts have a credit line. Absent: they have none. */
  readonly credit?: boolean;
  /** Returns the requests that the backend of the embedded operator has sent to the embedded service. */
  readonly launches: () => readonly LaunchRequest[];
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

/** The stored state of a reference operator that is started again. */
export interface Books {
  readonly dataDir: string;
  /** The player whose sessions have expired since the last start; undefined if no session has. */
  readonly expired?: string;
}

/**
 * Starts the reference operator with random keys.
 *
 * @param books the folder of its stored state; undefined to keep the state in memory
 */
export async function startReference(
  onFault: (error: unknown) => void,
  behaviour: Behaviour = CORRECT,
  books?: Books,
): Promise<Reference> {
  const keys = { first: randomBytes(24).toString('hex'), second: randomBytes(24).toString('hex') };
  const options = demoOperator(keys, behaviour);
  const [first, second] = options.clients;
  const sessions = first.sessions.map((session) =>
    session.player === books?.expired ? { ...session, state: 'expired' as const } : session,
  );
  const kept = books && { dataDir: books.dataDir };
  const listening = await createOperator(
    { clients: [{ ...first, sessions }, second], onFault, ...kept },
    behaviour,
  ).start();
  const integratorBaseUrl = `${listening.url}${first.basePath}`;
  const apiKey = randomBytes(24).toString('hex');
  const service = await startService(
    { cID: randomUUID(), extCID: first.extCID, apiKey, integrationApiKey: keys.first, integratorBaseUrl },
    onFault,
  );
  const { extCID, cID } = service.client;
  const backend = createBackend({ baseUrl: service.baseUrl, cID, extCID, apiKey }, behaviour);
  const active = sessions.filter(({ state }) => state === 'active');
  // The service may refuse a request of the operator. This is no error here: croupier judges the operator by the requests that the
  // service has recorded.
  await Promise.allSettled([
    backend.games(),
    backend.promiseFreeRounds(DEMO_CAMPAIGN, 'USD'),
    ...active.map((session) => backend.launch(session)),
  ]);
  return {
    client: {
      extCID,
      integratorBaseUrl,
      integrationApiKey: keys.first,
      otherClientKey: keys.second,
      paths: {},
      headers: {},
      sessions: sessions.map(({ sessionID, player, currency, gameID, state }) => ({
        sessionID,
        player,
        currency,
        gameID,
        state,
      })),
      wire: {},
    },
    campaign: DEMO_CAMPAIGN,
    launches: service.launches,
    secrets: [keys.first, keys.second, apiKey],
    close: async () => {
      await Promise.all([listening.close(), service.close()]);
    },
  };
}

/**
 * Starts the embedded service, which receives the requests of the operator's backend. The service makes no calls to the
 * wallet.
 */
async function startService(client: ServiceClient, onFault: (error: unknown) => void) {
  const service = createService({ clients: [client], onFault });
  const seen: LaunchRequest[] = [];
  service.onLaunchSeen((one) => seen.push(one));
  const served = await service.start();
  return { client, baseUrl: served.baseUrl, launches: () => seen, close: () => served.close(0) };
}
