import type { RuleId } from '../../contract/catalogue.ts';
import type { RunEnded } from '../../journal/event.ts';
import type { Finding } from '../../journal/finding.ts';
import type { ScenarioDraft } from '../../scenario/write.ts';
import type { RunOptions } from '../run-options.ts';

/** A failing history, after it was shortened. */
export interface Find {
  /** The rules that the history breaks. Rules that an earlier find breaks are left out. */
  readonly rules: readonly RuleId[];
  /** The evidence, with one finding for each rule. */
  readonly findings: readonly Finding[];
  readonly draft: ScenarioDraft;
  /** Number of the history before it was shortened, counted from 1. */
  readonly history: number;
  readonly steps: number;
  readonly stepsBefore: number;
  /** At the end of the search, croupier played the history `played` times. The history failed in `failed` of these times. */
  readonly failed: number;
  readonly played: number;
  /** True if the time ran out before the history was as short as possible. */
  readonly unfinished: boolean;
}

/** A history that failed once and did not fail again. */
export interface Flaky {
  readonly rules: readonly RuleId[];
  readonly findings: readonly Finding[];
  readonly draft: ScenarioDraft;
  readonly history: number;
}

export interface Exploration {
  readonly finds: readonly Find[];
  readonly flaky: readonly Flaky[];
  readonly histories: number;
  readonly calls: number;
  /** Number of rules that were judged, with any result. */
  readonly judged: number;
  readonly ended: Omit<RunEnded, 'durationMs'>;
  readonly durationMs: number;
}

/** The options of a search. Options that are not listed here have the same meaning as in a run. */
export interface ExploreOptions extends Omit<RunOptions, 'scenarios' | 'selection' | 'whole'> {
  /** Maximum number of histories. The shorter histories that are tried after a failure are not counted. */
  readonly runs: number;
  /** Time limit in milliseconds, after which no new history begins. Null: only `runs` limits the search. */
  readonly timeMs: number | null;
  /** Is called after each history, and each time that a shorter failing history is found. */
  readonly onProgress: (progress: ExploreProgress) => void;
}

export interface ExploreProgress {
  readonly histories: number;
  readonly runs: number;
  /** Number of rules that the search has found broken so far. */
  readonly broken: number;
  /** Number of steps of the history that is being shortened. Null if no history is being shortened. */
  readonly shortening: number | null;
}
