import path from 'node:path';
import { UsageError } from '../../../app/exit-status.ts';
import { whyUnreadable } from '../../../app/files.ts';
import { pastVerdictsOf } from '../../../app/history/past-verdicts.ts';
import { journalEvents, textOfFile } from '../../../app/journal-files.ts';
import {
  fileForClient,
  type ReportRequest,
  readReportRequests,
  refuseOverwriting,
  writeReport,
} from '../../../app/report-files.ts';
import { refuseOwingJournal } from '../../../app/run/earlier-journals.ts';
import {
  announceChanges,
  announceReport,
  inFile,
  reportOptions,
  verbosityOf,
  warnOfNextRun,
} from '../../../app/run/publish.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { type Fold, foldJournal } from '../../../journal/fold.ts';
import { readJournal } from '../../../journal/read.ts';
import type { OpenJournal, ReportOptions } from '../../../report/options.ts';
import type { ConvertFlags } from './flags.ts';

/** The layout of a report that is written to a file. It does not depend on the terminal. */
const IN_A_FILE: Pick<ReportOptions, 'width' | 'unicode'> = { width: 100, unicode: true };

/**
 * `croupier report convert`: makes reports from a journal. The last line of the journal may be incomplete.
 *
 * @returns 0 if all reports were written, whatever the verdict of the run
 * @throws UsageError when the journal can't be read, a kind of report is unknown, or a file can't be written
 */
export async function convertCommand(journal: string, flags: ConvertFlags, stdio: Stdio): Promise<number> {
  const reports = readRequests(flags.to ?? ['terminal=-']);
  const source = path.resolve(stdio.cwd, journal);
  const fold = await foldJournal(journalEvents(source, journal));
  if (fold.run.source === 'load') {
    throw new UsageError(
      `${journal} is the journal of a load test, and has no scenarios to report.\nThe load test itself writes its reports (croupier load --report). To look at its calls, use croupier incident or croupier replay.`,
    );
  }
  const open: OpenJournal = () => readJournal(textOfFile(source));
  for (const { kind, file } of reports) {
    const name = fileForClient(file, fold.run.client.extCID);
    refuseOverwriting(path.resolve(stdio.cwd, name), `--to ${kind}=${file}`, [source]);
    await refuseOwingJournal(name, undefined, stdio.cwd);
  }
  await writeReports(
    { fold, open },
    reports,
    { journal, curl: flags.curl, verbosity: verbosityOf(flags.verbose) },
    stdio,
  );
  return 0;
}

/** Reads the values of `--to`. @throws UsageError for an unknown kind, and for several reports to stdout */
export function readRequests(words: readonly string[]): readonly ReportRequest[] {
  const reports = readReportRequests(words, '--to');
  if (reports.filter(({ file }) => file === '-').length > 1) {
    throw new UsageError('--to: only one report can go to stdout. Name a file for each of the others.');
  }
  return reports;
}

/**
 * Writes each report to its file or to stdout. Says on stderr which files it wrote.
 *
 * @param shown the path of the journal (null if the journal is in no file), how much the text report shows, and whether the caller
 * itself says which file was written
 * @throws UsageError for a report that can't be written
 */
export async function writeReports(
  { fold, open }: { readonly fold: Fold; readonly open: OpenJournal },
  reports: readonly ReportRequest[],
  {
    journal,
    curl,
    verbosity,
    isSilent = false,
  }: Pick<ReportOptions, 'journal' | 'verbosity'> & { readonly curl: boolean | undefined; readonly isSilent?: boolean },
  stdio: Stdio,
): Promise<void> {
  const past = reports.some(({ kind }) => kind === 'html') ? await pastVerdictsOf(fold.run, stdio) : undefined;
  const options = { ...reportOptions(stdio.out, stdio, journal, curl), verbosity, past };
  for (const request of reports) {
    const { kind, report, file } = request;
    if (file === '-') {
      for await (const piece of report(fold, open, options)) {
        if (kind === 'github') stdio.out.command(piece);
        else stdio.out.write(piece);
      }
      warnOfNextRun(kind, fold, stdio, (text) => text);
      continue;
    }
    const target = path.resolve(stdio.cwd, fileForClient(file, fold.run.client.extCID));
    try {
      const shown = inFile({ ...options, ...IN_A_FILE });
      const changes = await writeReport(request, { fold, open }, target, shown, (text) => text);
      if (!isSilent) announceReport(kind, target, stdio);
      announceChanges(changes, stdio, (text) => text);
      warnOfNextRun(kind, fold, stdio, (text) => text);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`The ${kind} report can't be written: ${target}: ${whyUnreadable(error)}.`, {
        cause: error,
      });
    }
  }
}
