import type { ClientUnderTest } from '../engine/run-options.ts';
import type { RunStarted } from '../journal/event.ts';
import { type Clients, resolveClients } from './clients.ts';
import type { Configuration } from './configuration.ts';
import type { ClientFlags } from './run-flags.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

/** The client that a journal is about, and what must appear in no output. */
export interface JournalClient extends Omit<Clients, 'clients'> {
  /** undefined: the configuration has mistakes, which the complaints tell. */
  readonly client: ClientUnderTest | undefined;
}

/**
 * The client of a journal as the configuration knows it. One that is not configured needs its key alone: address and
 * sessions are then the journal's.
 *
 * @throws UsageError when another client is asked for, or the key is missing
 */
export async function clientOfJournal(
  { client: { extCID, integratorBaseUrl }, settings }: RunStarted,
  journal: string,
  configuration: Configuration,
  flags: ClientFlags,
  stdio: Stdio,
): Promise<JournalClient> {
  const other = [...(flags.client ?? []), ...(flags.extCid === undefined ? [] : [flags.extCid])].find(
    (name) => name !== extCID,
  );
  if (other !== undefined) refuseOther(journal, extCID, other);
  const configured = configuration.config.clients ?? [];
  if (configured.some((client) => client.extCID === extCID)) {
    const { clients, ...rest } = await resolveClients(configuration, { ...flags, client: [extCID] }, stdio);
    return { ...rest, client: clients[0] };
  }
  const hasKey = flags.keyFile !== undefined || Boolean(stdio.env.CROUPIER_KEY);
  if (!hasKey) {
    const known = configured.map((client) => client.extCID);
    throw new UsageError(
      `${journal} is about the client ${extCID}, which ${configuration.found ? `${configuration.file} does not name${known.length > 0 ? ` (it has ${known.join(', ')})` : ''}` : `no ${configuration.file} names`}. Nothing was sent.\nGive its key with CROUPIER_KEY or --key-file, or name the configuration with --config.`,
    );
  }
  const { client: _chosen, ...others } = flags;
  const { clients, ...rest } = await resolveClients(
    configuration,
    {
      ...others,
      extCid: extCID,
      baseUrl: flags.baseUrl ?? integratorBaseUrl,
      session: flags.session ?? ['placeholder'],
    },
    stdio,
  );
  const [client] = clients;
  const sessions = settings.sessions.map(({ sessionID, player, currency, gameID, state }) => ({
    sessionID,
    player: player ?? undefined,
    currency: currency ?? undefined,
    gameID: gameID ?? undefined,
    state,
  }));
  return { ...rest, client: client && flags.session === undefined ? { ...client, sessions } : client };
}

/** @throws UsageError */
function refuseOther(journal: string, extCID: string, other: string): never {
  throw new UsageError(
    `${journal} is about the client ${extCID}, and not ${other}: another client has other transactions. Nothing was sent.`,
  );
}
