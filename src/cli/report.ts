import { createReadStream } from 'node:fs';
import path from 'node:path';
import { complaintAboutEvent } from '../journal/event-schema.ts';
import { type Fold, foldJournal } from '../journal/fold.ts';
import { JournalError, readJournal } from '../journal/read.ts';
import type { OpenJournal, ReportOptions } from '../report/options.ts';
import { PLAIN } from '../report/paint.ts';
import { whyUnreadable } from './configuration.ts';
import { reportOptions } from './publish.ts';
import { fileForClient, type ReportWish, readReportWishes, refuseOverwriting, writeWhole } from './report-flags.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

interface ConvertFlags {
  readonly to: readonly string[];
}

/** How the report for people looks in a file, whatever terminal it was asked for at. */
const IN_A_FILE: Pick<ReportOptions, 'paint' | 'width' | 'unicode'> = { paint: PLAIN, width: 100, unicode: true };

/**
 * Makes reports of a journal, also of one that a kill has torn.
 *
 * @returns 0: they were written. What the run itself came to is in the reports.
 * @throws UsageError for a journal that can't be read, and for reports that do not exist or can't be written
 */
export async function convertCommand(journal: string, flags: ConvertFlags, stdio: Stdio): Promise<number> {
  const wishes = readWishes(flags.to);
  const source = path.resolve(stdio.cwd, journal);
  const fold = await readFold(source, journal);
  const open: OpenJournal = () => readJournal(createReadStream(source, 'utf8'));
  for (const { kind, file } of wishes) {
    const target = path.resolve(stdio.cwd, fileForClient(file, fold.run.client.extCID));
    refuseOverwriting(target, `--to ${kind}=${file}`, [source]);
  }
  await writeReports({ fold, open }, wishes, journal, stdio);
  return 0;
}

/** What `--to` asks for. @throws UsageError for kinds that do not exist, and for several reports to stdout */
export function readWishes(words: readonly string[]): readonly ReportWish[] {
  const wishes = readReportWishes(words, '--to');
  if (wishes.filter(({ file }) => file === '-').length > 1) {
    throw new UsageError('--to: only one report can go to stdout. Give the others a file each.');
  }
  return wishes;
}

/**
 * Writes each report to its file or to stdout.
 *
 * @param journal where it is, so that a report can say it; null: nowhere
 * @throws UsageError for one that can't be written
 */
export async function writeReports(
  { fold, open }: { readonly fold: Fold; readonly open: OpenJournal },
  wishes: readonly ReportWish[],
  journal: string | null,
  stdio: Stdio,
): Promise<void> {
  const options = reportOptions(stdio.out, stdio, journal);
  for (const { kind, report, file } of wishes) {
    const toTerminal = file === '-';
    const pieces = report(fold, open, toTerminal ? options : { ...options, ...IN_A_FILE });
    if (toTerminal) {
      for await (const piece of pieces) stdio.out.write(piece);
      continue;
    }
    const target = path.resolve(stdio.cwd, fileForClient(file, fold.run.client.extCID));
    try {
      await writeWhole(target, pieces);
    } catch (error) {
      throw new UsageError(`The ${kind} report can't be written: ${target}: ${whyUnreadable(error)}.`, {
        cause: error,
      });
    }
  }
}

async function readFold(source: string, journal: string): Promise<Fold> {
  try {
    return await foldJournal(readJournal(createReadStream(source, 'utf8'), complaintAboutEvent));
  } catch (error) {
    if (error instanceof JournalError) throw new UsageError(`${journal}: ${error.message}`, { cause: error });
    if (error instanceof Error && 'syscall' in error) {
      throw new UsageError(`The journal can't be read: ${journal}: ${whyUnreadable(error)}.`, { cause: error });
    }
    throw error;
  }
}
