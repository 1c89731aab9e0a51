import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mutex } from 'async-mutex';
import type { Evidence, FinishedRun } from '../../history/record.ts';
import type { RunStarted } from '../../journal/event.ts';
import type { Fold } from '../../journal/fold.ts';
import type { LoadResult } from '../../journal/load/result.ts';
import { forTerminal } from '../../report/escape.ts';
import { isInUse } from '../../sqlite/database.ts';
import type { Config } from '../config/schema.ts';
import { shownPath, whyUnreadable } from '../files.ts';
import { bytesOfFile } from '../journal-files.ts';
import type { Stdio } from '../stdio.ts';
import { databaseIn, type HistoryFlags, isHistoryWanted, retentionOf } from './settings.ts';

/** The settings with which a command adds its runs to the history of the working directory. */
export interface HistoryContext {
  readonly flags: HistoryFlags;
  readonly config: Pick<Config, 'history'>;
  readonly stdio: Stdio;
  /** Removes the keys from a text. */
  readonly scrub: (text: string) => string;
}

/** Maximum size of a journal whose copy the history stores, in bytes. */
const MAX_JOURNAL = 128 * 1024 * 1024;

/**
 * Only one run of this process writes to the database at a time. While a second run waited for the first, the whole process would
 * be blocked.
 */
const writing = new Mutex();

/** Time for which an addition is repeated while other processes use the database, in ms. */
const MAX_REPEAT_MS = 30_000;
/** Time between two attempts, in ms. */
const REPEAT_AFTER_MS = 200;

/**
 * Adds a finished run to the history, with a compressed copy of its journal. If that is not possible, prints a notice. Never
 * throws, because the result of the run does not depend on the history.
 *
 * @param journal the absolute path of the closed journal
 */
export async function addRunToHistory(fold: Fold, journal: string, context: HistoryContext): Promise<void> {
  await adding(context, async (folder) => {
    const { finishedRun } = await import('../../history/record.ts');
    const run = finishedRun(fold, shownPath(journal, folder), context.scrub);
    const { size } = statSync(journal);
    return { run, evidence: size > MAX_JOURNAL ? null : { kind: 'journal', content: bytesOfFile(journal) } };
  });
}

/** Adds a finished load test to the history, with its result. Apart from that, does the same as `addRunToHistory`. */
export async function addLoadToHistory(
  started: RunStarted,
  result: LoadResult,
  journal: string,
  context: HistoryContext,
): Promise<void> {
  await adding(context, async (folder) => {
    const { finishedLoad } = await import('../../history/record.ts');
    const run = finishedLoad(started, result, shownPath(journal, folder), context.scrub);
    const text = context.scrub(JSON.stringify(result));
    return { run, evidence: { kind: 'load-result', content: [Buffer.from(text)] } };
  });
}

interface Addition {
  readonly run: FinishedRun;
  readonly evidence: Evidence | null;
}

async function adding(
  { flags, config, stdio }: HistoryContext,
  describe: (cwd: string) => Promise<Addition>,
): Promise<void> {
  if (!isHistoryWanted(flags, stdio)) return;
  try {
    await writing.runExclusive(async () => {
      // Imported only here, so that a run starts without the code of the database.
      const [{ openHistoryAt }, { addRun }] = await Promise.all([
        import('../../history/history.ts'),
        import('../../history/record.ts'),
      ]);
      await whileInUse(async () => {
        const { run, evidence } = await describe(stdio.cwd);
        const history = await openHistoryAt({ dir: stdio.cwd, database: databaseIn(stdio) });
        try {
          await addRun(history, run, evidence, retentionOf(config));
        } finally {
          await history.destroy();
        }
      });
    });
  } catch (error) {
    const why = whyUnreadable(error).replace(/\.$/, '');
    stdio.err.write(
      `${forTerminal(`This run is not in the history: ${why}. Its result and its journal are complete. --no-history switches the history off.`)}\n`,
    );
  }
}

/**
 * Does some work in the database. Repeats it for up to 30 seconds while another process uses the database, for example while many
 * runs of one folder end at the same time.
 */
async function whileInUse(work: () => Promise<void>): Promise<void> {
  const end = performance.now() + MAX_REPEAT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isInUse(error) || performance.now() > end) throw error;
      await sleep(REPEAT_AFTER_MS);
    }
  }
}
