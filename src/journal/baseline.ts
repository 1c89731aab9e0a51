import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { RunEnded, RunStarted } from './event.ts';
import type { EXPECTATION } from './finding.ts';
import { isDecided, type JudgedCell } from './judged-cell.ts';

/** A rule that may fail for a while, by somebody's decision: one entry of a baseline. */
export interface KnownFailure {
  readonly rule: RuleId | typeof EXPECTATION;
  /** Only there; null: wherever it fails. */
  readonly endpoint: CallName | null;
  /** Only in this scenario, or in all cases of this story; null: in any. */
  readonly scenario: string | null;
  readonly reason: string;
  readonly ticket: string;
  /** `YYYY-MM-DD`, the last day (in UTC) on which it counts. */
  readonly expires: string;
  /** Where it stands in the baseline, counted from 1. */
  readonly line: number;
  /** True: the run has every scenario of the suite that tries it, so that nothing else could show that it fails. */
  readonly tried: boolean;
}

/** The list of known failures that a run is judged with. */
export interface Baseline {
  readonly file: string;
  readonly known: readonly KnownFailure[];
}

/**
 * What a run says of a known failure. `failing`: as known. `mended`: it did not fail where it would have shown, so that it must leave the
 * list. `expired`: its day is over. `undecided`: neither, for it was not tried enough. The second and third fail the run.
 */
type KnownState = 'failing' | 'mended' | 'expired' | 'undecided';

export interface KnownResult {
  readonly known: KnownFailure;
  readonly state: KnownState;
}

/** What is about one rule, at one endpoint, in one scenario. */
type Breach = Pick<JudgedCell, 'rule' | 'endpoint' | 'scenario'>;

/** Judges each entry of the run's baseline; empty where it has none. @param cells all that was said, explanations taken in */
export function judgeBaseline(
  run: RunStarted,
  ended: RunEnded | null,
  cells: readonly JudgedCell[],
): readonly KnownResult[] {
  return (run.baseline?.known ?? []).map((known) => ({ known, state: stateOf(known, run, ended, cells) }));
}

function stateOf(
  known: KnownFailure,
  run: RunStarted,
  ended: RunEnded | null,
  cells: readonly JudgedCell[],
): KnownState {
  const own = cells.filter((cell) => covers(known, cell));
  // ISO dates are in order as texts.
  const isExpired = run.startedAt.slice(0, 10) > known.expires;
  // The breach of a SHOULD is a warning, and a breach all the same.
  if (own.some(({ verdict }) => verdict === 'fail' || verdict === 'warn')) return isExpired ? 'expired' : 'failing';
  const isOpen = own.some(({ verdict }) => verdict === 'inconclusive');
  // What does not fail in one shard may fail in another: only all of them together say so.
  const isTried = ended?.how === 'complete' && run.shard === undefined && (run.whole || known.tried);
  if (isTried && !isOpen && own.some(isDecided)) return 'mended';
  return isExpired ? 'expired' : 'undecided';
}

function covers({ rule, endpoint, scenario }: KnownFailure, breach: Breach): boolean {
  return (
    rule === breach.rule &&
    (endpoint === null || endpoint === breach.endpoint) &&
    (scenario === null || scenario === breach.scenario || scenario === breach.scenario.split('#')[0])
  );
}

/** True for a breach that a baseline lets pass today. */
export function isKnownBreach(results: readonly KnownResult[], breach: Breach): boolean {
  return results.some(({ known, state }) => state === 'failing' && covers(known, breach));
}

/** True when all that the cells of a rule hold of breaches is known. */
export function isKnownFailing(results: readonly KnownResult[], cells: readonly JudgedCell[]): boolean {
  const breaches = cells.filter(({ verdict }) => verdict === 'fail');
  return breaches.length > 0 && breaches.every((cell) => isKnownBreach(results, cell));
}

/** Known failures that fail a run: those that are mended, and those whose day is over. */
export function staleEntries(results: readonly KnownResult[]): readonly KnownResult[] {
  return results.filter(({ state }) => state === 'mended' || state === 'expired');
}
