import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Baseline } from '../journal/event.ts';
import type { ClientsFailure, Subjects } from './baseline-file.ts';
import { diagnosticsError } from './config/configuration.ts';
import { readTextFile, shownPath } from './files.ts';

/** The known failures of all clients, and the file that lists them. */
export interface Baselines {
  readonly file: string;
  readonly known: readonly ClientsFailure[];
}

/**
 * Reads the file of known failures.
 *
 * @param named the path from `--baseline`; undefined if the flag is missing
 * @returns undefined without `--baseline`
 * @throws UsageError with every mistake in the file, before any call is sent
 */
export async function loadBaseline(
  named: string | undefined,
  subjects: Subjects,
  cwd: string,
): Promise<Baselines | undefined> {
  if (named === undefined) return undefined;
  const file = path.resolve(cwd, named);
  const shown = shownPath(file, cwd);
  // Imported only if there is a baseline, because loading the schema takes longer than most commands take in total.
  const { readBaseline } = await import('./baseline-file.ts');
  const reading = readBaseline(shown, readTextFile(file, 'The baseline'), subjects);
  if (reading.kind === 'broken') throw diagnosticsError(reading.diagnostics);
  return { file: shown, known: reading.known };
}

/**
 * Checks the baselines that a run will bring up to date.
 *
 * @param files the absolute paths of the files, which need not exist
 * @throws UsageError with every mistake in a file, before any call is sent
 */
export async function checkBaselines(files: readonly string[], cwd: string): Promise<void> {
  for (const file of files.filter((name) => existsSync(name))) {
    const { readDrafts } = await import('./baseline-merge.ts');
    readDrafts(readTextFile(file, 'The baseline'), shownPath(file, cwd));
  }
}

/** Returns the known failures of one client, including those that are known for every client. */
export function baselineOf({ file, known }: Baselines, extCID: string): Baseline {
  const own = known.filter(({ client }) => client === undefined || client === extCID);
  return { file, known: own.map(({ client: _client, ...entry }) => entry) };
}
