import type { RunOptions } from '../run-options.ts';

/** How an operator is searched; the rest as in a run. */
export interface ExploreOptions extends Omit<RunOptions, 'scenarios' | 'selection' | 'whole'> {
  /** How many histories are played at most, those that make a failing one shorter not counted. */
  readonly runs: number;
  /** After so long no new history is begun; null: only `runs` counts. */
  readonly timeMs: number | null;
  /** Hears of each history when it is over, and of each that is being made shorter. */
  readonly onProgress: (progress: ExploreProgress) => void;
}

export interface ExploreProgress {
  readonly histories: number;
  readonly runs: number;
  /** How many rules were found broken. */
  readonly broken: number;
  /** Steps of the history that is being made shorter; null: none is. */
  readonly shortening: number | null;
}
