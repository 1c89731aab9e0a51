import { createReadStream } from 'node:fs';
import { open as openFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { complaintAboutEvent } from '../journal/event-schema.ts';
import { type Fold, foldJournal } from '../journal/fold.ts';
import { JournalError, readJournal } from '../journal/read.ts';
import { REPORT_KINDS } from '../report/kinds.ts';
import type { OpenJournal, Report, ReportOptions } from '../report/options.ts';
import { ANSI, PLAIN } from '../report/paint.ts';
import { packageRoot } from './package-root.ts';
import { sourceLines } from './source-lines.ts';
import type { Sink, Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';

/** A report that somebody asked for: `json=report.json`, `terminal=-`. */
export interface ReportWish {
  readonly kind: string;
  readonly report: Report;
  /** `-` is stdout. */
  readonly file: string;
}

export interface ConvertFlags {
  readonly to: readonly string[];
}

/** Columns of a terminal report that goes to a file. */
const FILE_WIDTH = 100;
const EXCHANGES_PER_SCENARIO = 100;

/** @throws UsageError for a word that is not KIND=FILE, and for a kind that does not exist. */
export function readReportWish(word: string): ReportWish {
  const [, kind = '', file = ''] = /^([^=]*)=(.+)$/s.exec(word) ?? [];
  const kinds = Object.keys(REPORT_KINDS).join(', ');
  if (file === '')
    throw new UsageError(`a report is asked for as KIND=FILE, not as ${JSON.stringify(word)}; kinds: ${kinds}`);
  const report = Object.hasOwn(REPORT_KINDS, kind) ? REPORT_KINDS[kind] : undefined;
  if (!report) throw new UsageError(`there is no report of the kind ${JSON.stringify(kind)}; kinds: ${kinds}`);
  return { kind, report, file };
}

/** How reports look where they go: in colour and as wide as the terminal there, plainly in a file. */
export function reportOptions(sink: Sink | null, stdio: Stdio, journal: string | null, verbose = false): ReportOptions {
  return {
    paint: sink?.colour ? ANSI : PLAIN,
    width: sink?.columns ?? FILE_WIDTH,
    unicode: sink === null || showsUnicode(stdio.env),
    verbose,
    readLine: sourceLines([stdio.cwd, packageRoot()]),
    journal,
    exchangesPerScenario: EXCHANGES_PER_SCENARIO,
  };
}

/** False only where the environment names a locale without UTF-8; most containers name none and show it all the same. */
function showsUnicode(env: Stdio['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'];
  return !locale || /utf-?8/i.test(locale);
}

/** Writes one report, piece by piece. @throws UsageError when its file cannot be written. */
export async function writeReport(
  wish: ReportWish,
  fold: Fold,
  open: OpenJournal,
  journal: string | null,
  stdio: Stdio,
): Promise<void> {
  if (wish.file === '-') {
    for await (const piece of wish.report(fold, open, reportOptions(stdio.out, stdio, journal))) stdio.out.write(piece);
    return;
  }
  try {
    await writeFile(path.resolve(stdio.cwd, wish.file), wish.report(fold, open, reportOptions(null, stdio, journal)));
  } catch (error) {
    if (isSystemError(error)) throw new UsageError(`the report cannot be written to ${wish.file}: ${error.message}`);
    throw error;
  }
}

/**
 * Makes reports of a journal, also of one that a kill has torn.
 *
 * @returns 0: they were written. What the run itself came to is in the reports.
 * @throws UsageError for a journal that cannot be read, and for reports that do not exist or cannot be written.
 */
export async function convertCommand(journal: string, flags: ConvertFlags, stdio: Stdio): Promise<number> {
  const wishes = flags.to.map(readReportWish);
  if (wishes.filter(({ file }) => file === '-').length > 1) {
    throw new UsageError('only one report can go to stdout; give the others a file each');
  }
  const file = path.resolve(stdio.cwd, journal);
  const fold = await readFold(file, journal);
  const open: OpenJournal = () => readJournal(createReadStream(file, 'utf8'));
  for (const wish of wishes) await writeReport(wish, fold, open, journal, stdio);
  return 0;
}

async function readFold(file: string, journal: string): Promise<Fold> {
  try {
    // Opened beforehand, so that a missing file is told apart from whatever else may go wrong while reading.
    const handle = await openFile(file);
    return await foldJournal(readJournal(handle.createReadStream({ encoding: 'utf8' }), complaintAboutEvent));
  } catch (error) {
    if (error instanceof JournalError) throw new UsageError(`${journal}: ${error.message}`);
    if (isSystemError(error)) throw new UsageError(`the journal ${journal} cannot be read: ${error.message}`);
    throw error;
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
