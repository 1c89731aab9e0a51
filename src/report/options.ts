import type { JournalEvent } from '../journal/event.ts';
import type { Place, Verdict } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import type { Paint } from './paint.ts';

/** Opens the journal and reads its events from the beginning. A report may do this several times. */
export type OpenJournal = () => AsyncIterable<JournalEvent> | Iterable<JournalEvent>;

/** The colours, the width and the characters that a terminal can show. */
export interface Look {
  readonly paint: Paint;
  /** Width of the terminal, in columns. */
  readonly width: number;
  /** False if the terminal can show only ASCII characters. */
  readonly unicode: boolean;
}

/**
 * The amount of detail of a text report. 0: the verdict, what failed, what was not tested. 1 (`-v`): also every rule, every
 * finding, the notes and the response times. 2 (`-vv`): also every exchange.
 */
export type Verbosity = 0 | 1 | 2;

/** The verdict of an earlier run about a rule. */
export interface PastVerdict {
  /** The number of the run in the history. */
  readonly number: number;
  /** The time of its start in UTC (ISO 8601). */
  readonly startedAt: string;
  /** The build of the operator; null if it is not known. */
  readonly build: string | null;
  readonly verdict: Verdict;
}

export interface ReportOptions extends Look {
  /** The amount of detail of the text report. */
  readonly verbosity: Verbosity;
  /** Returns the line of a scenario file at a place. Returns null if the file cannot be read. */
  readonly readLine: (place: Place) => string | null;
  /**
   * Returns the path of a scenario file within its repository. Returns null if the file is in no repository. If this function is
   * left out, paths are unchanged.
   */
  readonly repositoryFile?: (file: string) => string | null;
  /**
   * True if the report is about one of several clients. Then the exit status of the process may differ from the exit status of
   * this report. Absent: false.
   */
  readonly isPart?: boolean;
  /**
   * The exit status of a run that a second signal ended at once. The journal of such a run has no end, so it does not show the
   * status. Absent: the journal shows the status.
   */
  readonly endedAtOnce?: number | undefined;
  /** The path of the journal, which the report shows. Null if the report shows no path. */
  readonly journal: string | null;
  /** Maximum number of exchanges of one scenario in the JSON and the HTML report. With 0, the reports contain no exchanges. */
  readonly exchangesPerScenario: number;
  /**
   * True if pages for other people (Markdown, HTML) may contain signatures and curl commands, which let every reader send the
   * calls again.
   */
  readonly curl: boolean;
  /**
   * True if the text report is printed into the log of a pipeline, which many people can read. Then the text report contains
   * signatures and curl lines only if `curl` is true, like the pages for other people. Absent: false.
   */
  readonly isPublic?: boolean;
  /**
   * Removes secrets from a text. Only a report that compresses text calls this function. In all other reports, secrets are removed
   * when the text is written.
   */
  readonly scrub: (text: string) => string;
  /** For each rule, the verdicts of earlier runs of the same client, the latest first. Absent: there is no history. */
  readonly past?: ReadonlyMap<string, readonly PastVerdict[]> | undefined;
  /** Returns the style and the script of the HTML report. Only the HTML report calls this function. */
  readonly page: () => PageParts;
}

/** The built style and script of a page. Neither text may contain the end tag of its element. */
export interface PageParts {
  readonly style: string;
  readonly script: string;
}

/** Writes a report from the results of a run and its journal. The text comes in pieces. */
export type Report = (fold: Fold, open: OpenJournal, options: ReportOptions) => AsyncIterable<string>;
