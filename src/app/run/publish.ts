import path from 'node:path';
import type { Place } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { forTerminal } from '../../report/escape.ts';
import { failingPlaces } from '../../report/exports/baseline.ts';
import { mayShowMore } from '../../report/exports/stability.ts';
import { whyStillUndecided } from '../../report/exports/undecided-baseline.ts';
import { jsonReport } from '../../report/json/json.ts';
import type { Report, ReportOptions, Verbosity } from '../../report/options.ts';
import { ANSI, PLAIN } from '../../report/paint.ts';
import { type BaselineChange, changeLines } from '../baseline-changes.ts';
import { EXIT, UsageError, worstStatus } from '../exit-status.ts';
import { reportFault } from '../fault.ts';
import { packageRoot, readBytes, shownPath, whyUnreadable } from '../files.ts';
import { fileForClient, isRegular, type ReportRequest, writeReport } from '../report-files.ts';
import { repositoryFile } from '../repository.ts';
import { isPipeline, type Sink, type Stdio, showsUnicode } from '../stdio.ts';
import type { Played, RunSoFar } from './play.ts';

/** Maximum number of exchanges that a report shows for one scenario, so that it stays readable. */
const EXCHANGES_PER_SCENARIO = 200;

/** The reports that the user requested for one run. */
export interface Publication {
  readonly extCID: string;
  /** True if stdout gets the JSON report in place of the text report. */
  readonly json: boolean;
  readonly curl: boolean;
  /** True if the run has no other client, so that the status of this client is the status of the process. */
  readonly isOnly: boolean;
  /** The exit status of a run that a second signal ended at once; undefined for every other run. */
  readonly endedAtOnce: number | undefined;
  /** The text report that is printed. */
  readonly text: Report;
  readonly verbosity: Verbosity;
  readonly reports: readonly ReportRequest[];
  readonly scrub: (text: string) => string;
  /** The verdicts of earlier runs, for a report that shows them. */
  readonly past: ReportOptions['past'];
}

/**
 * Prints the report, then writes the requested files.
 *
 * @returns an exit status for each report that could not be written
 */
export async function publish(
  played: Played,
  { extCID, json, isOnly, endedAtOnce, curl, text, verbosity, reports, scrub, past }: Publication,
  stdio: Stdio,
): Promise<readonly number[]> {
  const statuses: number[] = [];
  const { fold, open } = played;
  const options = {
    ...reportOptions(stdio.out, stdio, shownPath(played.journal, stdio.cwd), curl),
    isPart: !isOnly,
    endedAtOnce,
    scrub,
  };
  // The report does not show the exchanges, because -vv has already printed each exchange when it happened.
  const printed: ReportOptions = { ...options, verbosity: verbosity === 0 ? 0 : 1 };
  for await (const piece of (json ? jsonReport : text)(fold, open, printed)) stdio.out.write(scrub(piece));
  for (const request of reports) {
    const { kind, file: name } = request;
    const file = path.resolve(stdio.cwd, fileForClient(name, extCID));
    try {
      const changes = await writeReport(request, { fold, open }, file, inFile({ ...options, verbosity, past }), scrub);
      announceReport(kind, file, stdio);
      announceChanges(changes, stdio, scrub);
      warnOfNextRun(kind, fold, stdio, scrub);
    } catch (error) {
      const why = error instanceof UsageError ? error.message : `${whyUnreadable(error)}.`;
      stdio.err.write(
        `The ${kind} report can't be written: ${file}: ${why} Write it again with: croupier report convert ${played.journal} --to ${kind}=FILE\n`,
      );
      statuses.push(EXIT.USAGE);
    }
  }
  // The text report was printed before, so its last line has the status of the run alone.
  if (statuses.length > 0 && isOnly)
    stdio.err.write(`Exit status ${worstStatus([endedAtOnce ?? played.status, ...statuses])}: a report is missing.\n`);
  if (played.failure !== undefined) statuses.push(reportFault(played.failure, stdio));
  return statuses;
}

/**
 * Writes the requested files of a run that was interrupted and still sends what it owes. If the CI system kills croupier before the
 * end of the run, these files stay. Otherwise, `publish` replaces them.
 */
export async function publishSoFar(
  soFar: RunSoFar,
  {
    extCID,
    curl,
    isOnly,
    verbosity,
    reports,
    scrub,
  }: Pick<Publication, 'extCID' | 'curl' | 'isOnly' | 'verbosity' | 'reports' | 'scrub'>,
  stdio: Stdio,
): Promise<void> {
  const { fold, open } = soFar;
  const shared = reportOptions(stdio.out, stdio, shownPath(soFar.journal, stdio.cwd), curl);
  const options = inFile({ ...shared, isPart: !isOnly, scrub, verbosity });
  for (const request of reports) {
    const file = path.resolve(stdio.cwd, fileForClient(request.file, extCID));
    // A baseline would list what only the interruption left undecided. A program that reads a pipe would get both reports.
    if (request.kind === 'baseline' || !isRegular(file)) continue;
    try {
      await writeReport(request, { fold, open }, file, options, scrub);
    } catch {
      // `publish` writes the same file again, and prints the reason if it can't.
    }
  }
}

/**
 * Says on stderr that a report was written.
 *
 * @param file its absolute path
 */
export function announceReport(kind: string, file: string, stdio: Stdio): void {
  stdio.err.write(`The ${kind} report: ${forTerminal(shownPath(file, stdio.cwd))}\n`);
}

/**
 * Says on stderr what has changed in a baseline that was brought up to date.
 *
 * @param changes undefined for every other report
 * @param scrub removes secrets from the text
 */
export function announceChanges(
  changes: readonly BaselineChange[] | undefined,
  stdio: Stdio,
  scrub: (text: string) => string,
): void {
  if (!changes) return;
  for (const line of changeLines(changes)) stdio.err.write(`  ${forTerminal(scrub(line))}\n`);
}

/**
 * If a report is a baseline with which the same run would still be undecided, or another run might fail, says so on stderr.
 *
 * @param scrub removes secrets from the text
 */
export function warnOfNextRun(kind: string, fold: Fold, stdio: Stdio, scrub: (text: string) => string): void {
  if (kind !== 'baseline') return;
  const why = whyStillUndecided(fold);
  if (why === null && mayShowMore(failingPlaces(fold)))
    stdio.err.write(
      'Another run may show these faults in further scenarios or rules, because chance decides which player plays a scenario. Run again with this baseline, and update the baseline, before a pipeline uses it.\n',
    );
  if (why !== null)
    stdio.err.write(
      `With this baseline, a run still ends with status 3 until the wallet is fixed. ${forTerminal(scrub(why))}\n`,
    );
}

/**
 * Returns the options for a report that is written to a file. A text report in a file always has every finding and every rule,
 * because its reader can't use -v.
 */
export function inFile(options: ReportOptions): ReportOptions {
  return { ...options, paint: PLAIN, verbosity: options.verbosity === 0 ? 1 : options.verbosity };
}

/** Returns how much the reports show, from the number of times that `-v` was given. */
export function verbosityOf(given = 0): Verbosity {
  return given === 0 ? 0 : given === 1 ? 1 : 2;
}

/**
 * Returns the options for a report that is written to this stream.
 *
 * @param journal the path that the report shows; null to show none
 * @param curl true if a page for other people may contain curl commands
 */
export function reportOptions(sink: Sink, stdio: Stdio, journal: string | null, curl = false): ReportOptions {
  return {
    paint: sink.colour ? ANSI : PLAIN,
    width: sink.columns,
    unicode: showsUnicode(stdio.env),
    verbosity: 0,
    readLine: sourceLines([stdio.cwd, packageRoot()]),
    repositoryFile: repositoryFile(stdio),
    journal,
    exchangesPerScenario: EXCHANGES_PER_SCENARIO,
    curl,
    isPublic: isPipeline(stdio.env),
    scrub: (text) => text,
    page: () => ({ style: pageText('report.css'), script: pageText('report.js') }),
  };
}

function pageText(name: string): string {
  return new TextDecoder().decode(readBytes(path.join(packageRoot(), 'dist', 'pages', name)));
}

/**
 * Returns a function that gives a line of a scenario file, so that reports can show it. Each file is read once.
 *
 * @param roots the folders that the path of a file may be relative to, with the most likely one first
 */
function sourceLines(roots: readonly string[]): (place: Place) => string | null {
  const files = new Map<string, readonly string[] | null>();
  return ({ file, line }) => {
    let lines = files.get(file);
    if (lines === undefined) {
      lines = linesOf(file, roots);
      files.set(file, lines);
    }
    return lines?.[line - 1] ?? null;
  };
}

function linesOf(file: string, roots: readonly string[]): readonly string[] | null {
  for (const root of roots) {
    try {
      return new TextDecoder().decode(readBytes(path.resolve(root, file))).split(/\r?\n/);
    } catch {
      // The file may have been moved since the run. The report then leaves out the line.
    }
  }
  return null;
}
