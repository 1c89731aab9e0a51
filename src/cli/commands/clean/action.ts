import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { loadConfiguration } from '../../../app/config/configuration.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { whyUnreadable } from '../../../app/files.ts';
import { databaseIn, retentionOf } from '../../../app/history/settings.ts';
import { useHistory } from '../../../app/history/use-history.ts';
import { isOwnJournalName, journalEvents, runningWriter } from '../../../app/journal-files.ts';
import { lockPathOf } from '../../../app/lock/journal-writer.ts';
import { owedBy } from '../../../app/run/earlier-journals.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { plural } from '../../../contract/plural.ts';
import { shrink } from '../../../history/history.ts';
import { applyRetention, type Removed, type Retention, wouldRemove } from '../../../history/retention.ts';
import { quoteWord } from '../../../report/curl.ts';
import type { CleanFlags } from './flags.ts';

const FOLDER = '.croupier';

/** A journal in the folder, and the reason why the journal must stay. The reason is null if the journal may be removed. */
interface Found {
  readonly file: string;
  readonly bytes: number;
  readonly why: string | null;
}

/**
 * `croupier clean`: removes the oldest journals of the folder `.croupier`, and the runs of the history that are too old or too
 * many. Keeps journals of runs that still owe something or are still active. Also keeps journals whose name the user chose, because
 * other commands may need them.
 *
 * @returns 0
 * @throws UsageError when a journal can't be removed, or the history can't be used
 */
export async function cleanCommand(flags: CleanFlags, stdio: Stdio): Promise<number> {
  const { cwd, out, err } = stdio;
  const { config } = await loadConfiguration(flags.config, stdio);
  const old = ownJournals(path.join(cwd, FOLDER)).slice(flags.keep);
  const found: Found[] = [];
  for (const { name, bytes } of old) {
    const file = path.join(FOLDER, name);
    found.push({ file, bytes, why: await whyKept(path.resolve(cwd, file), file) });
  }
  const removed = found.filter(({ why }) => why === null);
  const kept = found.filter(({ why }) => why !== null);
  if (!flags.dryRun) for (const { file } of removed) remove(file, cwd);
  const history = await cleanHistory(retentionOf(config), flags, stdio);
  if (flags.json) {
    out.write(`${JSON.stringify({ removed: removed.map(({ file }) => file), kept, history }, null, 2)}\n`);
    return 0;
  }
  for (const { file, why } of kept) err.write(`${file} is kept: ${why}\n`);
  if (flags.dryRun) for (const { file } of removed) out.write(`${file}\n`);
  const bytes = removed.reduce((sum, one) => sum + one.bytes, 0);
  const done = flags.dryRun ? 'would be removed' : 'removed';
  out.write(
    removed.length === 0
      ? `Nothing to remove: ${FOLDER}/ contains no journal that may be removed, except the newest ${plural(flags.keep, 'journal')}.\n`
      : `${plural(removed.length, 'journal')} ${done} (${(bytes / 1e6).toFixed(1)} MB). Kept: the newest ${plural(flags.keep, 'journal')}.\n`,
  );
  if (history.runs + history.journals > 0)
    out.write(
      `${plural(history.runs, 'run')} of the history ${done}, and the stored journals of ${history.journals} others.\n`,
    );
  return 0;
}

/**
 * Removes the runs that the history should not keep, and makes its file smaller.
 *
 * @returns the numbers of removed runs and of removed journals
 */
async function cleanHistory(
  retention: Retention,
  { keepRuns = retention.runs, dryRun }: CleanFlags,
  stdio: Stdio,
): Promise<Removed> {
  const wanted = { ...retention, runs: keepRuns };
  return useHistory(
    stdio.cwd,
    async (history) => {
      if (!history) return { runs: 0, journals: 0 };
      if (dryRun) return wouldRemove(history, wanted);
      const removed = await history.transaction().execute((transaction) => applyRetention(transaction, wanted));
      await shrink(history);
      return removed;
    },
    databaseIn(stdio),
  );
}

/** Returns the journals whose names croupier chose, the newest first. */
function ownJournals(folder: string): readonly { readonly name: string; readonly bytes: number }[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .filter(isOwnJournalName)
    .toSorted()
    .toReversed()
    .map((name) => ({ name, bytes: statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0 }));
}

async function whyKept(file: string, shown: string): Promise<string | null> {
  try {
    for await (const event of journalEvents(file, shown)) {
      if (event.event === 'run-started' && runningWriter(file, event) !== undefined) return 'its run is still active';
      break;
    }
    const owed = await owedBy(file, shown, undefined);
    return owed === 0
      ? null
      : `its run still owes ${plural(owed, 'item')}. Settle it with: croupier settle ${quoteWord(shown)}`;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return "croupier can't read this journal, so it does not know whether its run still owes something";
  }
}

function remove(file: string, cwd: string): void {
  try {
    rmSync(path.resolve(cwd, file));
    // The lock of a killed run stays beside its journal.
    rmSync(lockPathOf(path.resolve(cwd, file)), { force: true });
  } catch (error) {
    throw new UsageError(`${file} can't be removed: ${whyUnreadable(error)}.`, { cause: error });
  }
}
