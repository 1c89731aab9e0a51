import type { JournalEvent } from '../journal/event.ts';
import type { Place } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import type { Paint } from './paint.ts';

/** Opens the journal again, from its beginning: for the pass that looks at exchanges. */
export type OpenJournal = () => AsyncIterable<JournalEvent> | Iterable<JournalEvent>;

/** How text for people looks in a terminal. */
export interface Look {
  readonly paint: Paint;
  /** Columns of the terminal. */
  readonly width: number;
  /** False where only ASCII can be shown. */
  readonly unicode: boolean;
}

export interface ReportOptions extends Look {
  /** Every exchange, not just those that show something. */
  readonly verbose: boolean;
  /** The line of a scenario file; null when it can't be read (any more). */
  readonly readLine: (place: Place) => string | null;
  /** How a scenario's file is named within the repository that it lies in; null: in none. Left out: as it is. */
  readonly repositoryFile?: (file: string) => string | null;
  /** Where the journal is, so that a report can say it; null: not worth saying. */
  readonly journal: string | null;
  /** How many exchanges of one scenario the JSON report holds at most; 0 leaves them out. */
  readonly exchangesPerScenario: number;
  /** What the page of the HTML report brings with it; asked for by that report alone. */
  readonly page: () => PageParts;
}

/** The style and the script of a page, as they were built. Neither may hold the end tag of its element. */
export interface PageParts {
  readonly style: string;
  readonly script: string;
}

/** A report: from what a run amounts to, and its journal once more, to text in pieces. */
export type Report = (fold: Fold, open: OpenJournal, options: ReportOptions) => AsyncIterable<string>;
