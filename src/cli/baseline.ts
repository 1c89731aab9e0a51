import path from 'node:path';
import type { Baseline } from '../journal/baseline.ts';
import type { ClientsFailure, Subjects } from './baseline-file.ts';
import { complaintsError, readTextFile, shownPath } from './configuration.ts';

/** A baseline that was read, for all clients. */
export interface Baselines {
  readonly file: string;
  readonly known: readonly ClientsFailure[];
}

/**
 * Reads the file of known failures that is named; undefined: none is.
 *
 * @throws UsageError with every complaint about it; nothing was sent then
 */
export async function loadBaseline(
  named: string | undefined,
  subjects: Subjects,
  cwd: string,
): Promise<Baselines | undefined> {
  if (named === undefined) return undefined;
  const file = path.resolve(cwd, named);
  const shown = shownPath(file, cwd);
  // Only here, because its schema takes longer to load than most commands take in all.
  const { readBaseline } = await import('./baseline-file.ts');
  const reading = readBaseline(shown, readTextFile(file, 'the baseline'), subjects);
  if (reading.kind === 'broken') throw complaintsError(reading.complaints);
  return { file: shown, known: reading.known };
}

/** What of it is about one client. */
export function baselineOf({ file, known }: Baselines, extCID: string): Baseline {
  const own = known.filter(({ client }) => client === undefined || client === extCID);
  return { file, known: own.map(({ client: _client, ...entry }) => entry) };
}
