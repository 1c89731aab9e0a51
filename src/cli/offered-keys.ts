import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { OfferedKey } from '../incident/explain/keys.ts';
import { isToCoreApi } from '../incident/explain/request.ts';
import type { ClientConfig } from './config-schema.ts';
import { type Configuration, loadConfiguration, readTextFile, whyUnreadable } from './configuration.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export interface OfferedKeyFlags {
  readonly keyFile?: readonly string[];
  readonly apiKeyFile?: readonly string[];
  readonly config?: string;
  readonly client?: readonly string[];
}

/** The keys that may have been used, and whose right one is unknown: of which client a request is, its address tells. */
export interface OfferedKeys {
  /** The likeliest first. */
  readonly keys: readonly OfferedKey[];
  /** Keys that could not be read, for a person. */
  readonly remarks: readonly string[];
  /** Those among the keys that belong to other clients only, where the address is one client's. */
  readonly foreign: ReadonlySet<string>;
}

/**
 * Keys of files, of the environment and of the configuration, in this order; of the configuration's clients, first the one
 * whose address was called.
 *
 * @returns the keys for the address of a request; throws a UsageError when there is none at all
 * @throws UsageError when a file can't be read
 */
export async function offering(flags: OfferedKeyFlags, stdio: Stdio): Promise<(url: string) => OfferedKeys> {
  const offered = await keysAtHand(flags, stdio);
  return (url) => {
    const found = offered(url);
    if (found.keys.length > 0) return found;
    throw new UsageError(
      [
        'There is no key to try: set CROUPIER_KEY, name files with --key-file, or work beside a croupier.yaml.',
        ...found.remarks,
      ].join('\n'),
    );
  };
}

/** As {@link offering}, where none is needed. */
export async function keysAtHand(flags: OfferedKeyFlags, stdio: Stdio): Promise<(url: string) => OfferedKeys> {
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
      ...clients.filter(({ base }) => url.startsWith(base)),
      ...clients.filter(({ base }) => !url.startsWith(base)),
    ];
    const keys = inOrder.flatMap((client) => client.keys);
    const remarks = inOrder.flatMap((client) => client.remarks);
    const reverse = [...files, ...fromEnv, ...keys.filter(({ role }) => role === 'integration')];
    const core = [...apiFiles, ...keys.filter(({ role }) => role === 'api')];
    const inAll = isToCoreApi(url) ? [...core, ...reverse] : [...reverse, ...core];
    return { keys: inAll, remarks, foreign: foreignTo(url, clients, [...files, ...fromEnv]) };
  };
}

/** An address belongs to the client whose base URL is the longest that it begins with; one of nobody's may be anybody's. */
function foreignTo(url: string, clients: readonly ClientKeys[], given: readonly OfferedKey[]): ReadonlySet<string> {
  const bases = clients.filter(({ base }) => url.startsWith(base)).map(({ base }) => base.length);
  if (bases.length === 0) return new Set();
  const owners = clients.filter(({ base }) => url.startsWith(base) && base.length === Math.max(...bases));
  const own = new Set([...given, ...owners.flatMap(({ keys }) => keys)].map(({ text }) => text));
  return new Set(clients.flatMap(({ keys }) => keys.map(({ text }) => text)).filter((text) => !own.has(text)));
}

/** No key has white space at its ends, but that a program reads it so may be the very mistake. */
function fileKeys(file: string, role: OfferedKey['role'], stdio: Stdio): readonly OfferedKey[] {
  if (file === '-') throw new UsageError('A key is not read from standard input here: name its file.');
  const at = path.resolve(stdio.cwd, file);
  let text: string;
  try {
    text = readFileSync(at, 'utf8');
  } catch (error) {
    throw new UsageError(`The key can't be read: ${at}: ${whyUnreadable(error)}`, { cause: error });
  }
  const written = withoutLineEnd(text.replace(/^\uFEFF/, ''));
  const key = written.trim();
  if (key === '') throw new UsageError(`${at} is empty; it must hold a key.`);
  const right: OfferedKey = { text: key, name: `the key of ${file}`, role };
  return key === written ? [right] : [right, { ...right, text: written, name: `${right.name} with its white space` }];
}

function withoutLineEnd(text: string): string {
  return text.replace(/(?:\r?\n)+$/, '');
}

interface ClientKeys extends Pick<OfferedKeys, 'keys' | 'remarks'> {
  /** What the addresses of its calls begin with. */
  readonly base: string;
}

function configuredKeys(configuration: Configuration, wanted: readonly string[] | undefined): readonly ClientKeys[] {
  const clients = configuration.config.clients ?? [];
  const unknown = wanted?.find((extCID) => !clients.some((client) => client.extCID === extCID));
  if (unknown !== undefined) {
    throw new UsageError(
      `The configuration has no client ${unknown}; it has: ${clients.map(({ extCID }) => extCID).join(', ') || 'none'}`,
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
    .filter((hole) => hole.client === index)
    .map(({ complaint }) => `A key of ${extCID} is not set: ${complaint.message}`);
  const keys = (
    [
      [integrationApiKey, 'integration', 'the Integration API key'],
      [apiKey, 'api', 'the API key'],
    ] as const
  ).flatMap(([secret, role, what]): OfferedKey[] => {
    if (secret === undefined || secret === '') return [];
    try {
      const text = typeof secret === 'string' ? secret : readTextFile(path.resolve(dir, secret.file), what);
      return [{ text: withoutLineEnd(text), name: `${what} of ${extCID}`, role }];
    } catch (error) {
      // Another key may do.
      if (!(error instanceof UsageError)) throw error;
      remarks.push(error.message);
      return [];
    }
  });
  return { base: `${integratorBaseUrl.replace(/\/+$/, '')}/`, keys, remarks };
}
