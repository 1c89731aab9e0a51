import path from 'node:path';
import { type Configuration, diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { checkKey, readSecret } from '../../../app/config/key.ts';
import type { ClientConfig } from '../../../app/config/schema.ts';
import { UsageError } from '../../../app/exit-status.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { signBody, verifySignature } from '../../../contract/signature.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { forTerminal } from '../../../report/escape.ts';
import type { SignFlags, VerifyFlags } from './flags.ts';
import { signedText } from './signed-text.ts';

/**
 * `croupier sign`: prints the signature of a body or of a query. Everything else goes to stderr, so that scripts can
 * use stdout.
 *
 * @returns 0
 */
export async function signCommand(text: string | undefined, flags: SignFlags, stdio: Stdio): Promise<number> {
  const { key, source } = await signingKey(flags, stdio);
  const { payload, remarks } = await signedText(text, flags, stdio);
  const signature = signBody(payload, key);
  if (flags.json) {
    const scrub = createScrubber([key]);
    const result = { signature, payload: scrub(Buffer.from(payload).toString('utf8')), key: source, remarks };
    stdio.out.write(`${JSON.stringify(result, null, 2)}\n`);
    return 0;
  }
  stdio.out.write(`${signature}\n`);
  for (const remark of remarks) stdio.err.write(`${forTerminal(remark)}\n`);
  return 0;
}

const WRONG = 1;

/**
 * `croupier verify`: checks the signature of a body or of a query.
 *
 * @returns 0 if the signature is right, 1 if it is wrong
 */
export async function verifyCommand(text: string | undefined, flags: VerifyFlags, stdio: Stdio): Promise<number> {
  const { key, source } = await signingKey(flags, stdio);
  const { payload, remarks } = await signedText(text, flags, stdio);
  const given = flags.signature;
  const right = verifySignature(payload, key, given);
  const status = right ? 0 : WRONG;
  const reason = right ? null : whyWrong(given, signBody(payload, key));
  if (flags.json) {
    const result = { right, reason, bytes: payload.length, key: source, remarks, exitCode: status };
    stdio.out.write(`${JSON.stringify(result, null, 2)}\n`);
    return status;
  }
  const of = `of these ${payload.length} bytes with ${source}`;
  const lines =
    reason === null
      ? [`Right: this is the signature ${of}.`, ...remarks]
      : [
          `Wrong: this is not the signature ${of}.`,
          reason,
          ...remarks,
          'To find the mistake, run croupier explain with the same body or query and --signature.',
        ];
  stdio.out.write(lines.map((line) => `${forTerminal(line)}\n`).join(''));
  return status;
}

/**
 * Returns why a signature is wrong, if the mistake is obvious. The text does not show the right signature, because `croupier
 * sign` prints that.
 */
function whyWrong(given: string, right: string): string {
  if (given === '') return 'The given signature is empty.';
  if (given !== given.trim()) return 'The given signature has white space at its beginning or end.';
  if (given.toLowerCase() === right)
    return 'The digits of the given signature are right, but they must be in lower case.';
  if (/^[0-9a-f]+$/i.test(given)) {
    return given.length === 64
      ? 'The signer signed other bytes, or used another key.'
      : `The given signature has ${given.length} hexadecimal digits, but a signature has 64.`;
  }
  return Buffer.from(given, 'base64').equals(Buffer.from(right, 'hex'))
    ? 'The given signature is right, but in base64. It must be in lower-case hexadecimal.'
    : 'The given signature is not hexadecimal. A signature has 64 lower-case hexadecimal digits.';
}

/** The key that a command signs or verifies with. */
interface SigningKey {
  readonly key: string;
  /** The name of the place that the key comes from, for messages. */
  readonly source: string;
}

/**
 * Returns the key from `--key-file`, otherwise from CROUPIER_KEY, otherwise from the client in the configuration.
 *
 * @throws UsageError when there is no key, or when several clients have one
 */
async function signingKey(flags: Pick<SignFlags, 'keyFile' | 'config' | 'client'>, stdio: Stdio): Promise<SigningKey> {
  if (flags.keyFile === '-') throw new UsageError('--key-file -: standard input is for the signed text. Name a file.');
  if (flags.keyFile !== undefined) {
    const key = readSecret(path.resolve(stdio.cwd, flags.keyFile), 'The key of --key-file');
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
        ? `${file} has no client ${wanted}. It has: ${known}.`
        : 'There is no key. Set CROUPIER_KEY, name a file with --key-file, or run this command in a folder with a croupier.yaml.',
    );
  }
  if (others.length > 0) throw new UsageError(`${file} has several clients. Choose one with --client: ${known}.`);
  return only;
}

function keyOf(client: ClientConfig, { config, unset, dir }: Configuration): string {
  const index = config.clients?.indexOf(client) ?? -1;
  const unsetVariables = unset.filter((variable) => variable.client === index);
  if (unsetVariables.length > 0) throw diagnosticsError(unsetVariables.map(({ diagnostic }) => diagnostic));
  const what = `The integrationApiKey of ${client.extCID}`;
  const { integrationApiKey: secret } = client;
  return typeof secret === 'string' ? checkKey(secret, what) : readSecret(path.resolve(dir, secret.file), what);
}
