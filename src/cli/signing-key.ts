import path from 'node:path';
import type { ClientConfig } from './config-schema.ts';
import { type Configuration, complaintsError, loadConfiguration } from './configuration.ts';
import { checkKey, readSecret } from './key.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export interface SigningKeyFlags {
  readonly keyFile?: string;
  readonly config?: string;
  readonly client?: string;
}

/** The one key that a command signs or verifies with. */
export interface SigningKey {
  readonly key: string;
  /** Where it came from, for a person. */
  readonly source: string;
}

/**
 * The key of the file, else of the environment, else of the client that the configuration names or has alone.
 *
 * @throws UsageError when there is none, or several might be meant
 */
export async function signingKey(flags: SigningKeyFlags, stdio: Stdio): Promise<SigningKey> {
  if (flags.keyFile === '-') throw new UsageError('--key-file - would read what is signed as the key: name a file.');
  if (flags.keyFile !== undefined) {
    const key = readSecret(path.resolve(stdio.cwd, flags.keyFile), 'the key of --key-file');
    return { key, source: flags.keyFile };
  }
  const given = stdio.env.CROUPIER_KEY;
  if (given) return { key: checkKey(given, 'CROUPIER_KEY'), source: 'CROUPIER_KEY' };
  const configuration = await loadConfiguration(flags.config, stdio);
  const client = chosen(configuration, flags.client);
  return { key: keyOf(client, configuration), source: `the Integration API key of ${client.extCID}` };
}

function chosen({ config, file, found }: Configuration, wanted: string | undefined): ClientConfig {
  const clients = config.clients ?? [];
  const known = clients.map(({ extCID }) => extCID).join(', ');
  const [only, ...others] = wanted === undefined ? clients : clients.filter(({ extCID }) => extCID === wanted);
  if (!only) {
    throw new UsageError(
      found && clients.length > 0
        ? `${file} has no client ${wanted}; it has: ${known}`
        : 'There is no key: set CROUPIER_KEY, name a file with --key-file, or work beside a croupier.yaml.',
    );
  }
  if (others.length > 0) throw new UsageError(`${file} has several clients: choose one with --client: ${known}`);
  return only;
}

function keyOf(client: ClientConfig, { config, unset, dir }: Configuration): string {
  const index = config.clients?.indexOf(client) ?? -1;
  const holes = unset.filter((hole) => hole.client === index);
  if (holes.length > 0) throw complaintsError(holes.map(({ complaint }) => complaint));
  const what = `the integrationApiKey of ${client.extCID}`;
  const { integrationApiKey: secret } = client;
  return typeof secret === 'string' ? checkKey(secret, what) : readSecret(path.resolve(dir, secret.file), what);
}
