import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { CONFIG_NAME } from './config/configuration.ts';
import { MIN_KEY_LENGTH } from './config/key.ts';
import { UsageError } from './exit-status.ts';

/** A kind of file that people write by hand, and that croupier reads. */
export type InputKind = 'a configuration' | 'a scenario' | 'a baseline' | 'a key' | 'a certificate or a key';

/**
 * Refuses to overwrite a configuration, a scenario, a baseline or a key, because a mistyped path must not destroy a file that
 * somebody wrote by hand. The content of the existing file shows its kind. So the file is kept even if this command itself does not
 * read it.
 *
 * @param file the absolute path of the file to write, which need not exist
 * @param allowed the kind of file that the command itself writes; undefined if it writes none of them
 * @param flag the flag that named the file, for the message
 * @throws UsageError
 */
export function refuseInputFile(file: string, allowed?: InputKind, flag?: string): void {
  const kind = inputKind(file);
  if (kind === undefined || kind === allowed) return;
  const named = flag === undefined ? '' : `${flag}: `;
  throw new UsageError(`${named}${file} is ${kind}, so it must not be overwritten. Name another file.`);
}

/** Number of bytes at the beginning of a file that show its kind. */
const HEAD_BYTES = 65_536;

/**
 * Returns the kind of an existing file; undefined if there is no file, or if the file is something else, such as an older report.
 */
function inputKind(file: string): InputKind | undefined {
  const text = headOf(file)?.trim();
  if (text === undefined || text === '') return undefined;
  if (path.basename(realpathSync(file)) === CONFIG_NAME) return 'a configuration';
  if (/^-----BEGIN [A-Z ]+-----/.test(text)) return 'a certificate or a key';
  if (/^[[{]/.test(text)) return JSON_KINDS.find(([, begin]) => begin.test(text))?.[0];
  if (text.length >= MIN_KEY_LENGTH && !/[\s<]/.test(text)) return 'a key';
  return YAML_KINDS.find(([, key]) => key.test(text))?.[0];
}

/** The keys at the beginning of a line that show what a YAML file is. No report has such a line. */
const YAML_KINDS: readonly (readonly [InputKind, RegExp])[] = [
  ['a scenario', /^(?:steps|rules|title):(?:\s|$)/m],
  ['a configuration', /^(?:clients|operators|scenarios|stakes|freeRounds|notify|budget):(?:\s|$)/m],
  ['a baseline', /^- +rule:\s/m],
];

/** The same for YAML files that are written as JSON. */
const JSON_KINDS: readonly (readonly [InputKind, RegExp])[] = [
  ['a configuration', /^\{\s*"(?:clients|operators|scenarios)"/],
  ['a scenario', /^\{\s*"(?:croupier|title|rules|steps)"\s*:\s*["[0-9]/],
  ['a baseline', /^\[\s*\{\s*"rule"/],
];

/** Returns the beginning of a file; undefined if there is no regular file, or if it can't be read. */
function headOf(file: string): string | undefined {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  try {
    const descriptor = openSync(file, 'r');
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return head.toString('utf8', 0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // If the file can't be read, it can't be written either. Then the error of writing gives the reason.
    return undefined;
  }
}
