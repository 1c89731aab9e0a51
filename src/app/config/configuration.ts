import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Diagnostic, renderDiagnostic } from '../../scenario/yaml/diagnostic.ts';
import { UsageError } from '../exit-status.ts';
import { readTextFile, shownPath } from '../files.ts';
import type { Stdio } from '../stdio.ts';
import type { ConfigFile } from './file.ts';
import type { Config } from './schema.ts';

export const CONFIG_NAME = 'croupier.yaml';

/** The configuration of a command, and where it was read from. */
export interface Configuration extends ConfigFile {
  /** The file's name in diagnostics. */
  readonly file: string;
  readonly dir: string;
  /** False if there is no croupier.yaml and no flag named another file. The configuration is then empty. */
  readonly found: boolean;
}

const EMPTY: Omit<Configuration, 'dir'> = {
  file: CONFIG_NAME,
  found: false,
  config: {},
  unset: [],
  warnings: [],
  secrets: [],
  origin: () => undefined,
  report: () => {
    throw new Error('a configuration without a file has no mistakes');
  },
};

/**
 * Reads the named file, or croupier.yaml in the working directory. If neither exists, the configuration is empty.
 *
 * @param named the path from `--config`; undefined if the flag is missing
 * @throws UsageError with every mistake in the file
 */
export async function loadConfiguration(named: string | undefined, stdio: Stdio): Promise<Configuration> {
  const file = path.resolve(stdio.cwd, named ?? CONFIG_NAME);
  if (named === undefined && !existsSync(file)) return { ...EMPTY, dir: stdio.cwd };
  const shown = shownPath(file, stdio.cwd);
  // Imported only if there is a file, because loading the schema takes longer than most commands take in total.
  const { readConfig } = await import('./file.ts');
  const reading = readConfig(shown, readTextFile(file, 'The configuration'), stdio.env);
  stdio.hide(reading.kind === 'broken' ? reading.secrets : reading.file.secrets);
  if (reading.kind === 'broken') throw diagnosticsError(reading.diagnostics);
  return { ...reading.file, file: shown, found: true, dir: path.dirname(file) };
}

/**
 * Checks a configuration that the calling code gives as an object, in the same way as a file with this content.
 *
 * @throws UsageError with every mistake in the object; each line number refers to the object as formatted JSON
 */
export async function configurationOf(
  config: Config,
  { cwd, env }: Pick<Stdio, 'cwd' | 'env'>,
): Promise<Configuration> {
  const { readConfig } = await import('./file.ts');
  const file = 'config';
  const reading = readConfig(file, JSON.stringify(config, null, 2), env);
  if (reading.kind === 'broken') throw diagnosticsError(reading.diagnostics);
  return { ...reading.file, file, found: true, dir: cwd };
}

/** Returns one error that lists all diagnostics and ends with their number. */
export function diagnosticsError(diagnostics: readonly Diagnostic[]): UsageError {
  const files = new Set(diagnostics.map(({ file }) => file)).size;
  const count = `${diagnostics.length} mistake${diagnostics.length === 1 ? '' : 's'}`;
  const where = files === 1 ? 'one file' : `${files} files`;
  return new UsageError(`${diagnostics.map(renderDiagnostic).join('\n\n')}\n\n${count} in ${where}. Nothing was sent.`);
}
