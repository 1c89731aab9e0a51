import path from 'node:path';
import { contractVersion } from '../../contract/versions.ts';
import type { ClientUnderTest, SessionUnderTest } from '../../engine/run-options.ts';
import { MIN_RUN } from '../../journal/secrets/secret-forms.ts';
import { nearest } from '../../scenario/near.ts';
import type { Diagnostic } from '../../scenario/yaml/diagnostic.ts';
import type { ServiceClient } from '../../service/client.ts';
import type { WireOptions } from '../../wire/wire.ts';
import { UsageError } from '../exit-status.ts';
import { readTextFile } from '../files.ts';
import type { Stdio } from '../stdio.ts';
import type { Configuration } from './configuration.ts';
import { readSession } from './flag-values.ts';
import { checkKey, readSecret } from './key.ts';
import { type ClientFlags, sessionFlagOf, switchOf } from './run-flags.ts';
import type { ClientConfig } from './schema.ts';

/** The source of a client's sessions, and the client's credentials for the Core API. */
export interface SessionSource {
  readonly from: ClientConfig['sessionsFrom'];
  readonly cID: string | undefined;
  readonly apiKey: string | undefined;
  /** The settings that only the simulated Core API uses. */
  readonly coreApi: CoreApiSettings;
}

/** The games and currencies that a client may use at the simulated Core API, and the launches that it refuses. */
type CoreApiSettings = Pick<ServiceClient, 'games' | 'currencies' | 'blocked' | 'blockedUsers'>;

/** The clients to judge, and the secrets that no output may contain. */
export interface Clients {
  readonly clients: readonly ClientUnderTest[];
  readonly secrets: readonly string[];
  /** The source of the sessions of each client, by ExtCID. */
  readonly sources: ReadonlyMap<string, SessionSource>;
  /** Mistakes in the configuration of the chosen clients. If there is one, the caller must not send anything. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Returns the clients that flags, environment and configuration name, in the order of the configuration.
 *
 * @throws UsageError if they name no client, or do not describe a client completely
 */
export async function resolveClients(configuration: Configuration, flags: ClientFlags, stdio: Stdio): Promise<Clients> {
  const key = await givenKey(flags, stdio);
  const configured = configuration.config.clients ?? [];
  const chosen = chooseClients(configured, flags);
  const sole = chosen.length <= 1;
  if (!sole) refuseForSeveral(flags, key);
  const unset = configuration.unset.filter(
    ({ client }) => client === null || chosen.some((entry) => configured.indexOf(entry) === client),
  );
  const diagnostics = unset.map(({ diagnostic }) => diagnostic);
  // While one of its variables is not set, a client cannot be built. The caller reports the missing variables together with the
  // other mistakes.
  if (diagnostics.length > 0) return { clients: [], secrets: [], sources: new Map(), diagnostics };
  const others = otherKeys(configuration, configured);
  stdio.hide([...configuration.secrets, ...others.map(({ key: other }) => other), ...proxySecrets(flags.proxy)]);
  const drafts = chosen.length > 0 ? chosen : [undefined];
  const clients = drafts.map((entry) => toClient(entry, { configuration, flags, stdio, key: sole ? key : undefined }));
  const secrets = new Set([...configuration.secrets, ...clients.map((client) => client.integrationApiKey)]);
  for (const entry of chosen) {
    const { apiKey } = sourceOf(entry, configuration);
    if (apiKey !== undefined) secrets.add(apiKey);
  }
  for (const { key: other } of others) secrets.add(other);
  for (const { wire } of clients) for (const secret of proxySecrets(wire.proxy)) secrets.add(secret);
  stdio.hide(secrets);
  for (const client of clients) refuseKeyElsewhere(client, [...secrets]);
  return {
    clients: clients.map((client) => {
      const otherClientKey = others.find(
        (other) => other.origin === originOf(client.integratorBaseUrl) && other.key !== client.integrationApiKey,
      )?.key;
      return otherClientKey === undefined ? client : { ...client, otherClientKey };
    }),
    secrets: [...secrets].filter((secret) => secret !== ''),
    sources: new Map(
      drafts.flatMap((entry) => (entry ? [[entry.extCID, sourceOf(entry, configuration)] as const] : [])),
    ),
    diagnostics: [],
  };
}

/** Throws a UsageError if a key is also in an address or an id, because each call and each report contains these. */
export function refuseKeyElsewhere(client: ClientUnderTest, keys: readonly string[]): void {
  const { extCID, integratorBaseUrl, paths, sessions } = client;
  const places: readonly (readonly [string, unknown])[] = [
    ['extCID', extCID],
    ['integratorBaseUrl', integratorBaseUrl],
    ['paths', paths],
    ['sessions', sessions],
  ];
  for (const [name, value] of places) {
    if (keys.some((key) => key.length >= MIN_RUN && textsOf(value).some((text) => text.includes(key))))
      throw new UsageError(
        `\`${name}\` of a client contains a key, which would then be in every call and every report. Nothing was sent.`,
      );
  }
}

/**
 * Completes a session that a flag names: adds the player, currency, game and state that the configuration has for this session.
 */
export function withConfiguredFields(
  session: SessionUnderTest,
  extCID: string,
  { clients = [] }: Configuration['config'],
): SessionUnderTest {
  const known = clients
    .find((client) => client.extCID === extCID)
    ?.sessions?.find(({ sessionID }) => sessionID === session.sessionID);
  return { ...known, ...session };
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function chooseClients(configured: readonly ClientConfig[], flags: ClientFlags): readonly ClientConfig[] {
  const wanted = flags.client ?? (flags.extCid === undefined ? undefined : [flags.extCid]);
  if (!wanted) return configured;
  return wanted.flatMap((extCID) => {
    const found = configured.filter((client) => client.extCID === extCID);
    // --ext-cid and --base-url together describe a client completely. So the configuration need not contain this client.
    if (found.length > 0 || (!flags.client && flags.baseUrl !== undefined)) return found;
    const known = configured.map((client) => client.extCID);
    const near = nearest(extCID, known);
    const help =
      near !== undefined
        ? `Did you mean ${near}?`
        : known.length > 0
          ? `It has: ${known.join(', ')}.`
          : 'It names no clients. croupier.yaml is read from the working directory, or from the path of --config.';
    throw new UsageError(`The configuration has no client ${extCID}. ${help}`);
  });
}

function refuseForSeveral(flags: ClientFlags, key: string | undefined): void {
  const given = [
    flags.baseUrl !== undefined && '--base-url',
    flags.session !== undefined && sessionFlagOf(flags),
    key !== undefined && (flags.keyFile === undefined ? 'CROUPIER_KEY' : '--key-file'),
  ].filter((name) => name !== false);
  if (given.length === 0) return;
  throw new UsageError(`${given.join(', ')} cannot apply to several clients at once. Choose one with --client.`);
}

/**
 * Reads the key that a flag or the environment gives; undefined if neither gives a key.
 *
 * @throws UsageError when the file of the key can't be read
 */
export async function givenKey(flags: Pick<ClientFlags, 'keyFile'>, stdio: Stdio): Promise<string | undefined> {
  const key = await keyOf(flags, stdio);
  if (key !== undefined) stdio.hide([key]);
  return key;
}

async function keyOf(flags: Pick<ClientFlags, 'keyFile'>, stdio: Stdio): Promise<string | undefined> {
  if (flags.keyFile === '-') return checkKey(await stdio.readStdin(), 'Standard input (--key-file -)');
  if (flags.keyFile !== undefined) return readSecret(path.resolve(stdio.cwd, flags.keyFile), 'The key of --key-file');
  const key = stdio.env.CROUPIER_KEY;
  return key === undefined || key === '' ? undefined : checkKey(key, 'CROUPIER_KEY');
}

interface ClientSettings {
  readonly configuration: Configuration;
  readonly flags: ClientFlags;
  readonly stdio: Stdio;
  readonly key: string | undefined;
}

function whyNoClient({ found, file, config }: Configuration, extCID: string | undefined): string {
  if (!found) return `there is no ${file}`;
  const isOther = (config.clients ?? []).length > 0 && extCID !== undefined;
  return isOther ? `${file} does not name ${extCID}` : `${file} names no client`;
}

function toClient(
  entry: ClientConfig | undefined,
  { configuration, flags, stdio, key }: ClientSettings,
): ClientUnderTest {
  const integratorBaseUrl = flags.baseUrl ?? entry?.integratorBaseUrl;
  const extCID = entry?.extCID ?? flags.extCid;
  const elsewhere = flags.launches !== undefined || entry?.sessionsFrom !== undefined;
  const sessions =
    flags.session?.map((text) => readSession(text, sessionFlagOf(flags))) ??
    entry?.sessions ??
    (elsewhere ? [] : undefined);
  const integrationApiKey = key ?? (entry && secretOf(entry.integrationApiKey, configuration, entry.extCID));
  if (!integratorBaseUrl || !extCID || !sessions || !integrationApiKey) {
    const missing = [
      !integratorBaseUrl && '--base-url URL',
      !extCID && '--ext-cid ID',
      !sessions && `${sessionFlagOf(flags)} ID`,
      !integrationApiKey && 'a key (CROUPIER_KEY, or --key-file FILE)',
    ].filter((part) => part !== false);
    throw new UsageError(
      [
        `No operator to test: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing, and ${whyNoClient(
          configuration,
          extCID,
        )}.`,
        'Write a croupier.yaml with croupier init, or try a run without an operator: croupier run --reference',
      ].join('\n'),
    );
  }
  if (!/^https?:$/.test(URL.parse(integratorBaseUrl)?.protocol ?? '')) {
    throw new UsageError(
      `--base-url ${integratorBaseUrl}: it must be an http or https URL, such as https://wallet.example/eu.`,
    );
  }
  refuseMoreThanAPath(integratorBaseUrl);
  return {
    extCID,
    integratorBaseUrl,
    integrationApiKey,
    paths: withoutUndefined(entry?.paths ?? {}),
    headers: entry?.headers ?? {},
    contract: flags.contract ?? (entry?.contract === undefined ? undefined : contractVersion(entry.contract)),
    sessions,
    // `production` in the configuration describes the configured address. With --base-url, croupier calls another address, so
    // this setting does not apply.
    production: flags.baseUrl === undefined ? entry?.production : undefined,
    wire: wireOptions(entry, { configuration, flags, stdio }),
  };
}

/**
 * Throws a UsageError if the base URL contains credentials or a query. Reports print the base URL, and croupier appends the
 * path of each call to the base URL.
 */
function refuseMoreThanAPath(integratorBaseUrl: string): void {
  const { origin, pathname, search, hash, username, password } = new URL(integratorBaseUrl);
  const bare = `${origin}${pathname}`;
  if (username !== '' || password !== '') {
    throw new UsageError(
      `The base URL ${bare} contains a user or a password, which would appear in every report.\nLeave them out, and send an Authorization header instead (\`headers\` of the client in croupier.yaml).`,
    );
  }
  if (search !== '' || hash !== '') {
    throw new UsageError(
      `The base URL ${bare} has a ${search === '' ? 'fragment' : 'query'}, which is not allowed: the path of each call is appended to the base URL. Leave it out.`,
    );
  }
}

function pem(file: string | undefined, base: string, what: string): string | undefined {
  return file === undefined ? undefined : readTextFile(path.resolve(base, file), what);
}

/** Returns the connection settings of a client. @param entry undefined if the configuration does not name the client */
export function wireOptions(entry: ClientConfig | undefined, given: Omit<ClientSettings, 'key'>): WireOptions {
  const { configuration, flags, stdio } = given;
  const { dir, config } = configuration;
  const tls = { ...config.tls, ...entry?.tls };
  const proxy = flags.proxy ?? entry?.proxy ?? config.proxy;
  return withoutUndefined({
    proxy,
    ca: flags.ca === undefined ? pem(tls.ca, dir, 'The CA (tls.ca)') : pem(flags.ca, stdio.cwd, 'The CA (--ca)'),
    cert: pem(tls.cert, dir, 'The client certificate (tls.cert)'),
    key: pem(tls.key, dir, "The client certificate's key (tls.key)"),
    hostOverride: entry?.hostOverride,
    insecureTls: (flags.insecure ?? switchOf(stdio.env, 'CROUPIER_INSECURE') ?? tls.insecure) || undefined,
  });
}

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Defined<T>;
}

function secretOf(
  secret: ClientConfig['integrationApiKey'],
  { dir }: Configuration,
  extCID: string,
  what = 'integrationApiKey',
): string {
  return typeof secret === 'string'
    ? checkKey(secret, `The ${what} of ${extCID}`)
    : readSecret(path.resolve(dir, secret.file), `The ${what} of ${extCID}`);
}

function sourceOf(entry: ClientConfig, configuration: Configuration): SessionSource {
  const { cID, apiKey, sessionsFrom: from, extCID, games, currencies, blocked, blockedUsers } = entry;
  return {
    from,
    cID,
    apiKey: apiKey && secretOf(apiKey, configuration, extCID, 'apiKey'),
    coreApi: withoutUndefined({ games, currencies, blocked, blockedUsers }),
  };
}

/**
 * Reads the keys of all configured clients. A scenario signs a call with the key of another client. The operator must refuse this
 * call.
 */
function otherKeys(configuration: Configuration, configured: readonly ClientConfig[]) {
  return configured.flatMap((client, index) => {
    if (configuration.unset.some((variable) => variable.client === index)) return [];
    try {
      const key = secretOf(client.integrationApiKey, configuration, client.extCID);
      return [{ origin: originOf(client.integratorBaseUrl), key }];
    } catch (error) {
      // The key of another client may be unreadable on this machine. This is no error: the scenarios that need such a key are
      // then skipped.
      if (error instanceof UsageError) return [];
      throw error;
    }
  });
}

function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin;
}

/** Returns the password in the URL of a proxy, with and without percent-encoding, so that both can be hidden. */
export function proxySecrets(proxy: string | undefined): readonly string[] {
  const password = proxy === undefined ? undefined : URL.parse(proxy)?.password;
  return password ? [password, decodeURIComponent(password)] : [];
}
