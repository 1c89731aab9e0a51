import type { LoadFacts } from '../../journal/load/result.ts';
import type { LoadProgress } from '../../load/load.ts';
import type { LoadOrder } from './load-part.ts';
import type { CountedCalls, CountedSecond } from './time-counts.ts';

/**
 * The settings of a share for a worker on another machine, as the database contains them. They contain no key, because the worker
 * takes the endpoint and the key from its own configuration.
 */
export interface PartOrder extends Omit<LoadOrder, 'endpoint' | 'wire' | 'originEpochMs'> {
  /** The time of the first event of the journal, in ms since 1970, by the clock of the database. */
  readonly originAt: number;
}

/** The work that a worker has done since it last wrote to the database, about one second ago. */
export interface PartSecond {
  readonly progress: LoadProgress | null;
  readonly seconds: readonly CountedSecond[];
  readonly byCall: CountedCalls;
  /** Whole lines of the worker's journal. */
  readonly journal: string;
  /** The machine and the path of the worker's journal. */
  readonly writtenTo: { readonly host: string; readonly file: string };
  /** The result at the moment at which the part was stopped early. Absent if it was not stopped since the last time. */
  readonly soFar?: PartResult | undefined;
}

/** The result of a part. */
export interface PartResult {
  readonly facts: LoadFacts;
  readonly lastNumber: number;
}
