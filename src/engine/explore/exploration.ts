import type { RuleId } from '../../contract/catalogue.ts';
import type { RunEnded } from '../../journal/event.ts';
import type { Finding } from '../../journal/finding.ts';
import type { ScenarioDraft } from '../../scenario/write.ts';
import type { RunOptions } from '../run-options.ts';

/** A failing history after shortening. */
export interface Find {
  /** The rules that it breaks, and that no earlier find breaks. */
  readonly rules: readonly RuleId[];
  /** The evidence: one finding for each rule. */
  readonly findings: readonly Finding[];
  readonly draft: ScenarioDraft;
  /** Number of the history from which it was shortened, from 1. */
  readonly history: number;
  readonly steps: number;
  readonly stepsBefore: number;
  /** Number of failures when it was played `played` times at the end. */
  readonly failed: number;
  readonly played: number;
  /** True if the time was over before it was as short as possible. */
  readonly unfinished: boolean;
}

/** A history that failed once and never again. */
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

/** The options of a search; the others are as in a run. */
export interface ExploreOptions extends Omit<RunOptions, 'scenarios' | 'selection' | 'whole'> {
  /** Maximum number of histories, without those that shorten a failing one. */
  readonly runs: number;
  /** No new history begins after this time, in ms; null: only `runs` counts. */
  readonly timeMs: number | null;
  /** Called after each history, and each time that a failing one became shorter. */
  readonly onProgress: (progress: ExploreProgress) => void;
}

export interface ExploreProgress {
  readonly histories: number;
  readonly runs: number;
  /** Number of rules that were found broken. */
  readonly broken: number;
  /** Number of steps of the history that is being shortened; null: none is. */
  readonly shortening: number | null;
}
