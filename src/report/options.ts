import type { JournalEvent } from '../journal/event.ts';
import type { Place } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import type { Paint } from './paint.ts';

/** Opens the journal again, from its beginning, to read the exchanges. */
export type OpenJournal = () => AsyncIterable<JournalEvent> | Iterable<JournalEvent>;

/** The style of text in a terminal. */
export interface Look {
  readonly paint: Paint;
  /** Columns of the terminal. */
  readonly width: number;
  /** False if only ASCII can be shown. */
  readonly unicode: boolean;
}

export interface ReportOptions extends Look {
  /** Show every exchange, not only those that show a finding. */
  readonly verbose: boolean;
  /** A line of a scenario file; null if it cannot be read. */
  readonly readLine: (place: Place) => string | null;
  /** The path of a scenario file within its repository; null: it is in no repository. Left out: the path is unchanged. */
  readonly repositoryFile?: (file: string) => string | null;
  /** The path of the journal, for a report to show; null: it is not shown. */
  readonly journal: string | null;
  /** Maximum number of exchanges of one scenario in the JSON report; 0 leaves them out. */
  readonly exchangesPerScenario: number;
  /** The style and script of the HTML report. Only that report calls it. */
  readonly page: () => PageParts;
}

/** The built style and script of a page. Neither may contain the end tag of its element. */
export interface PageParts {
  readonly style: string;
  readonly script: string;
}

/** Creates a report from the results of a run and its journal, as text in pieces. */
export type Report = (fold: Fold, open: OpenJournal, options: ReportOptions) => AsyncIterable<string>;
