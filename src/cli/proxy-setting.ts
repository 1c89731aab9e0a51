import type { CallPaths } from '../incident/seen-call.ts';
import type { KnownSession } from '../incident/story/story.ts';
import type { WireOptions } from '../wire/wire.ts';
import { givenKey, proxySecrets, resolveClients, wireOptions } from './clients.ts';
import { complaintsError, loadConfiguration } from './configuration.ts';
import { callPaths, knownSessions } from './known-calls.ts';
import type { ClientFlags } from './run-flags.ts';
import { readSession } from './session-flag.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export type SettingFlags = Omit<ClientFlags, 'baseUrl' | 'extCid' | 'contract' | 'launches'> & { readonly to?: string };

/** What the proxy knows of those between whom it stands. */
interface Setting {
  readonly to: string;
  /** '': not known. */
  readonly extCID: string;
  readonly keys: readonly string[];
  readonly secrets: readonly string[];
  readonly sessions: ReadonlyMap<string, KnownSession>;
  readonly paths: CallPaths;
  readonly wire: WireOptions;
}

/** Reads flags, environment and configuration. Only the operator's address must be known. @throws UsageError */
export async function proxySetting(flags: SettingFlags, stdio: Stdio): Promise<Setting> {
  const configuration = await loadConfiguration(flags.config, stdio);
  const { config } = configuration;
  const isConfigured = (config.clients ?? []).length > 0;
  const { clients, secrets, complaints } =
    isConfigured || flags.client
      ? await resolveClients(configuration, { ...flags, launches: 1 }, stdio)
      : { clients: [], secrets: configuration.secrets, complaints: [] };
  if (complaints.length > 0) throw complaintsError(complaints);
  const to = flags.to ?? (clients.length === 1 ? clients[0]?.integratorBaseUrl : undefined);
  if (to === undefined) {
    const why = clients.length > 1 ? 'the configuration has several clients' : 'no client is configured';
    throw new UsageError(
      `It is not said where the operator is, and ${why}: give --to URL${clients.length > 1 ? ', or choose one with --client' : ''}.`,
    );
  }
  const url = /^https?:$/.test(URL.parse(to)?.protocol ?? '') ? new URL(to) : undefined;
  if (!url || `${url.username}${url.password}${url.search}${url.hash}` !== '')
    throw new UsageError(
      '--to: it must be an http or https URL that ends with its path, such as https://wallet.example/eu',
    );
  const key = clients.length === 0 ? await givenKey(flags, stdio) : undefined;
  const client = clients.find(({ integratorBaseUrl }) => integratorBaseUrl === to) ?? clients[0];
  const wire = client?.wire ?? wireOptions(undefined, { configuration, flags, stdio });
  const sessions = new Map(knownSessions(configuration));
  for (const { sessionID, player, currency } of (flags.session ?? []).map(readSession))
    sessions.set(sessionID, { player: player ?? null, currency: currency ?? null });
  return {
    to,
    extCID: client?.extCID ?? '',
    keys: [
      ...new Set([...clients.map(({ integrationApiKey }) => integrationApiKey), ...(key === undefined ? [] : [key])]),
    ],
    secrets: [...secrets, ...(key === undefined ? [] : [key]), ...proxySecrets(wire.proxy)],
    sessions,
    paths: callPaths(configuration),
    wire,
  };
}
