import path from 'node:path';
import type { Baseline } from '../journal/event.ts';
import type { ClientsFailure, Subjects } from './baseline-file.ts';
import { diagnosticsError } from './config/configuration.ts';
import { readTextFile, shownPath } from './files.ts';

/** The known failures of all clients. */
export interface Baselines {
  readonly file: string;
  readonly known: readonly ClientsFailure[];
}

/**
 * Reads the file of known failures.
 *
 * @param named undefined: there is no baseline
 * @throws UsageError with every mistake in the file; nothing was sent then
 */
export async function loadBaseline(
  named: string | undefined,
  subjects: Subjects,
  cwd: string,
): Promise<Baselines | undefined> {
  if (named === undefined) return undefined;
  const file = path.resolve(cwd, named);
  const shown = shownPath(file, cwd);
  // Imported only here: its schema takes longer to load than most commands take altogether.
  const { readBaseline } = await import('./baseline-file.ts');
  const reading = readBaseline(shown, readTextFile(file, 'The baseline'), subjects);
  if (reading.kind === 'broken') throw diagnosticsError(reading.diagnostics);
  return { file: shown, known: reading.known };
}

/** The known failures of one client. */
export function baselineOf({ file, known }: Baselines, extCID: string): Baseline {
  const own = known.filter(({ client }) => client === undefined || client === extCID);
  return { file, known: own.map(({ client: _client, ...entry }) => entry) };
}
