import type { RuleId } from '../../contract/catalogue.ts';
import type { RunEnded } from '../../journal/event.ts';
import type { Finding } from '../../journal/finding.ts';
import type { ScenarioDraft } from '../../scenario/write.ts';

/** A failing history, as short as it could be made. */
export interface Find {
  /** The rules that it breaks, none of which an earlier one breaks. */
  readonly rules: readonly RuleId[];
  /** What shows it, one for each rule. */
  readonly findings: readonly Finding[];
  readonly draft: ScenarioDraft;
  /** Which history of the search it was made from; from 1. */
  readonly history: number;
  readonly steps: number;
  readonly stepsBefore: number;
  /** How often it failed of the times that it was played at the end. */
  readonly failed: number;
  readonly played: number;
  /** Time ran out before it was as short as can be. */
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
  /** Rules that were decided, one way or the other. */
  readonly judged: number;
  readonly ended: Omit<RunEnded, 'durationMs'>;
  readonly durationMs: number;
}
