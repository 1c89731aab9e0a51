import { existsSync } from 'node:fs';
import path from 'node:path';
import type { History } from '../../history/history.ts';
import { type PastRun, storedJournal } from '../../history/runs.ts';
import { type Fold, foldJournal } from '../../journal/fold.ts';
import { readJournal } from '../../journal/read.ts';
import type { OpenJournal } from '../../report/options.ts';
import { journalEvents, textOfFile } from '../journal-files.ts';

/** A run of the history whose journal can be read again. */
export interface StoredRun {
  readonly fold: Fold;
  readonly open: OpenJournal;
  /** The path of the journal; null if the file no longer exists. */
  readonly journal: string | null;
}

/**
 * Reads the journal of a run: the copy in the history, or the file if the history has no copy.
 *
 * @param cwd the folder of the history
 * @returns undefined if neither the copy nor the file exists any more
 * @throws UsageError or JournalError if the journal is damaged
 */
export async function openStoredRun(history: History, run: PastRun, cwd: string): Promise<StoredRun | undefined> {
  const file = path.resolve(cwd, run.journal);
  const journal = existsSync(file) ? run.journal : null;
  if (run.evidence === null && journal === null) return undefined;
  const open: OpenJournal = () =>
    readJournal(run.evidence === null ? textOfFile(file) : storedJournal(history, run.number));
  const fold = await foldJournal(run.evidence === null ? journalEvents(file, run.journal) : open());
  // In the meantime, the journal of another run may have replaced the file.
  return fold.run.runID === run.run_id ? { fold, open, journal } : undefined;
}
