import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CALL_NAMES, type CallName } from '../../contract/call-name.ts';
import type { OfferedKey } from '../../signing/keys.ts';
import { isToCoreApi } from '../../signing/request.ts';
import type { KnownSession } from '../../traffic/call-selection.ts';
import type { KeysOf } from '../../traffic/calls/signature.ts';
import type { CallPaths } from '../../traffic/recorded-call.ts';
import { UsageError } from '../exit-status.ts';
import { readTextFile, whyUnreadable } from '../files.ts';
import type { Stdio } from '../stdio.ts';
import { type Configuration, loadConfiguration } from './configuration.ts';
import type { ClientConfig } from './schema.ts';

/** Returns the player and the currency of each session in the configuration, by sessionID. */
export function knownSessions({ config }: Configuration): ReadonlyMap<string, KnownSession> {
  const sessions = (config.clients ?? []).flatMap((client) => client.sessions ?? []);
  return new Map(
    sessions.map(({ sessionID, player, currency }) => [
      sessionID,
      { player: player ?? null, currency: currency ?? null },
    ]),
  );
}

/** Returns the paths that clients of the configuration use in place of the contract's paths, each with its call. */
export function callPaths({ config }: Configuration): CallPaths {
  return new Map((config.clients ?? []).flatMap(({ paths }) => [...callPathsOf(paths)]));
}

/** Returns the paths that one client uses in place of the contract's paths, each with its call. */
export function callPathsOf(paths: { readonly [call in CallName]?: string | undefined } | undefined): CallPaths {
  return new Map(
    CALL_NAMES.flatMap((call) => {
      const where = paths?.[call];
      return where === undefined ? [] : [[where.replace(/(?<!\/)\/+$/, ''), call] as const];
    }),
  );
}

/** The flags that give keys for checking the signatures of recorded calls. */
export interface OfferedKeyFlags {
  readonly keyFile?: readonly string[];
  readonly apiKeyFile?: readonly string[];
  readonly config?: string;
  readonly client?: readonly string[];
}

/** The keys that may have signed a request. */
export interface OfferedKeys {
  /** The keys, with the most likely one first. */
  readonly keys: readonly OfferedKey[];
  /** Whole sentences about keys that could not be read. Empty if croupier could read all keys. */
  readonly remarks: readonly string[];
  /** The texts of the keys that belong only to other clients, and not to the client to which the request was sent. */
  readonly foreign: ReadonlySet<string>;
  /** True if the address does not show to which of several clients it belongs. */
  readonly areOfSeveral: boolean;
}

/**
 * Collects the keys of files, of the environment and of the configuration, in this order. Within the configuration, the
 * client with the called address comes first.
 *
 * @returns a function that gives the keys for the address of a request, and throws a UsageError when there is no key
 * @throws UsageError when a file can't be read
 */
export async function offering(flags: OfferedKeyFlags, stdio: Stdio): Promise<(url: string) => OfferedKeys> {
  const offered = await availableKeys(flags, stdio);
  return (url) => {
    const found = offered(url);
    if (found.keys.length > 0) return found;
    throw new UsageError(
      [
        'There is no key. Set CROUPIER_KEY, name a file with --key-file, or run this command in a folder with a croupier.yaml.',
        ...found.remarks,
      ].join('\n'),
    );
  };
}

/** Collects keys like {@link offering}. It is no error if there are none. */
async function availableKeys(flags: OfferedKeyFlags, stdio: Stdio): Promise<(url: string) => OfferedKeys> {
  const files = (flags.keyFile ?? []).flatMap((file) => fileKeys(file, 'unknown', stdio));
  const apiFiles = (flags.apiKeyFile ?? []).flatMap((file) => fileKeys(file, 'api', stdio));
  const { CROUPIER_KEY: given } = stdio.env;
  const fromEnv: readonly OfferedKey[] = given
    ? [{ text: withoutLineEnd(given), name: 'CROUPIER_KEY', role: 'integration' }]
    : [];
  const configuration = await loadConfiguration(flags.config, stdio);
  const clients = configuredKeys(configuration, flags.client);
  return (url) => {
    const inOrder = [
      ...clients.filter(({ base }) => isBelow(base, url)),
      ...clients.filter(({ base }) => !isBelow(base, url)),
    ];
    const keys = inOrder.flatMap((client) => client.keys);
    const remarks = inOrder.flatMap((client) => client.remarks);
    const reverse = [...files, ...fromEnv, ...keys.filter(({ role }) => role === 'integration')];
    const core = [...apiFiles, ...keys.filter(({ role }) => role === 'api')];
    const inAll = isToCoreApi(url) ? [...core, ...reverse] : [...reverse, ...core];
    const owners = ownersOf(url, clients);
    const areOfSeveral = owners.length > 1 || (owners.length === 0 && clients.length > 1);
    return { keys: inAll, remarks, foreign: foreignTo(url, clients, [...files, ...fromEnv]), areOfSeveral };
  };
}

/**
 * Returns the keys of all clients except the client to which an address belongs. An address belongs to the client with the
 * longest matching base URL. If no base URL matches, every client is possible and the result is empty.
 */
function foreignTo(url: string, clients: readonly ClientKeys[], given: readonly OfferedKey[]): ReadonlySet<string> {
  const owners = ownersOf(url, clients);
  if (owners.length === 0) return new Set();
  const own = new Set([...given, ...owners.flatMap(({ keys }) => keys)].map(({ text }) => text));
  return new Set(clients.flatMap(({ keys }) => keys.map(({ text }) => text)).filter((text) => !own.has(text)));
}

/** Returns the clients with the longest matching base URL. Several clients may have the same path at different hosts. */
function ownersOf(url: string, clients: readonly ClientKeys[]): readonly ClientKeys[] {
  const below = clients.filter(({ base }) => isBelow(base, url));
  const longest = Math.max(...below.map(({ base }) => pathOf(base).length));
  return below.filter(({ base }) => pathOf(base).length === longest);
}

/** True if an address is below a base URL. Most logs have only the path of an address, so then only the paths are compared. */
function isBelow(base: string, url: string): boolean {
  return url.startsWith('/') ? pathOf(base) !== '/' && url.startsWith(pathOf(base)) : url.startsWith(base);
}

function pathOf(base: string): string {
  return URL.parse(base)?.pathname ?? '/';
}

/**
 * Reads the key in a file. If there is white space before or after the key, also returns the key with this white space: it is a
 * common mistake to sign with the white space.
 */
function fileKeys(file: string, role: OfferedKey['role'], stdio: Stdio): readonly OfferedKey[] {
  if (file === '-') throw new UsageError('--key-file -: this command reads no key from standard input. Name a file.');
  const at = path.resolve(stdio.cwd, file);
  let text: string;
  try {
    text = readFileSync(at, 'utf8');
  } catch (error) {
    throw new UsageError(`The key can't be read: ${at}: ${whyUnreadable(error)}.`, { cause: error });
  }
  const written = withoutLineEnd(text.replace(/^\uFEFF/, ''));
  const key = written.trim();
  if (key === '') throw new UsageError(`${at} is empty: it must contain a key.`);
  const right: OfferedKey = { text: key, name: `the key of ${file}`, role };
  return key === written ? [right] : [right, { ...right, text: written, name: `${right.name} with its white space` }];
}

function withoutLineEnd(text: string): string {
  return text.replace(/(?<![\r\n])[\r\n]+$/, '');
}

interface ClientKeys extends Pick<OfferedKeys, 'keys' | 'remarks'> {
  /** The base URL of the client, with a slash at its end. */
  readonly base: string;
}

function configuredKeys(configuration: Configuration, wanted: readonly string[] | undefined): readonly ClientKeys[] {
  const clients = configuration.config.clients ?? [];
  const unknown = wanted?.find((extCID) => !clients.some((client) => client.extCID === extCID));
  if (unknown !== undefined) {
    throw new UsageError(
      `The configuration has no client ${unknown}. It has: ${clients.map(({ extCID }) => extCID).join(', ') || 'none'}.`,
    );
  }
  return clients
    .filter(({ extCID }) => wanted === undefined || wanted.includes(extCID))
    .map((client) => keysOf(client, configuration));
}

function keysOf(client: ClientConfig, { config, unset, dir }: Configuration): ClientKeys {
  const { extCID, integratorBaseUrl, integrationApiKey, apiKey } = client;
  const index = config.clients?.indexOf(client) ?? -1;
  const remarks = unset
    .filter((variable) => variable.client === index)
    .map(({ diagnostic }) => `A key of ${extCID} is not set: ${diagnostic.message}`);
  const keys = (
    [
      [integrationApiKey, 'integration', 'the Integration API key'],
      [apiKey, 'api', 'the API key'],
    ] as const
  ).flatMap(([secret, role, what]): OfferedKey[] => {
    if (secret === undefined || secret === '') return [];
    try {
      const text =
        typeof secret === 'string' ? secret : readTextFile(path.resolve(dir, secret.file), what.replace('the', 'The'));
      return [{ text: withoutLineEnd(text), name: `${what} of ${extCID}`, role }];
    } catch (error) {
      // An unreadable key is no error here, because another key may be the right one.
      if (!(error instanceof UsageError)) throw error;
      remarks.push(error.message);
      return [];
    }
  });
  return { base: `${integratorBaseUrl.replace(/(?<!\/)\/+$/, '')}/`, keys, remarks };
}

/** The keys for verifying the signatures of recorded calls. */
export interface SigningKeys {
  readonly keysOf: KeysOf;
  readonly secrets: readonly string[];
  /** Whole sentences about keys that could not be read. Empty if croupier could read all keys. */
  readonly remarks: readonly string[];
}

/**
 * Collects the keys of files, of the environment and of the configuration. The result may contain no key.
 *
 * @throws UsageError when a file can't be read
 */
export async function signingKeys(flags: OfferedKeyFlags, stdio: Stdio): Promise<SigningKeys> {
  const offered = await availableKeys(flags, stdio);
  const { keys, remarks } = offered('');
  return {
    keysOf: (url) => {
      const all = offered(url ?? '');
      // An API key signs requests from the operator to the Core API. It never signs a call to the wallet.
      const usable = all.keys.filter(({ role }) => role !== 'api').map(({ text }) => text);
      const own = usable.filter((key) => !all.foreign.has(key));
      return { own, others: usable.filter((key) => all.foreign.has(key)), areOfSeveral: all.areOfSeveral };
    },
    secrets: keys.flatMap(({ text }) => [text, text.trim()]).filter((text) => text !== ''),
    remarks,
  };
}
