import type { KnownFailure, RunEnded, RunStarted } from './event.ts';
import { isDecided, type JudgedOutcome } from './judged-outcome.ts';

/**
 * The state of a known failure after a run. `failing`: it still fails. `mended`: it was tested and did not fail, so it must be removed
 * from the baseline. `expired`: its last day is over. `undecided`: it was not tested enough. `mended` and `expired` fail the run.
 */
type KnownState = 'failing' | 'mended' | 'expired' | 'undecided';

export interface KnownResult {
  readonly known: KnownFailure;
  readonly state: KnownState;
}

/** The rule, endpoint and scenario of a breach. */
type Breach = Pick<JudgedOutcome, 'rule' | 'endpoint' | 'scenario'>;

/** Finds the state of each entry of the run's baseline. @param outcomes all outcomes of the run, after attribution */
export function judgeBaseline(
  run: RunStarted,
  ended: RunEnded | null,
  outcomes: readonly JudgedOutcome[],
): readonly KnownResult[] {
  return (run.baseline?.known ?? []).map((known) => ({ known, state: stateOf(known, run, ended, outcomes) }));
}

function stateOf(
  known: KnownFailure,
  run: RunStarted,
  ended: RunEnded | null,
  outcomes: readonly JudgedOutcome[],
): KnownState {
  const own = outcomes.filter((outcome) => covers(known, outcome));
  // ISO dates can be compared as texts.
  const isExpired = run.startedAt.slice(0, 10) > known.expires;
  // A warning counts too: the breach of a SHOULD is a warning.
  if (own.some(({ verdict }) => verdict === 'fail' || verdict === 'warn')) return isExpired ? 'expired' : 'failing';
  const isOpen = own.some(({ verdict }) => verdict === 'inconclusive');
  // A rule that does not fail in one shard may fail in another one, so a single shard cannot decide this.
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

/** True for a breach that is on the baseline and has not expired. */
export function isKnownBreach(results: readonly KnownResult[], breach: Breach): boolean {
  return results.some(({ known, state }) => state === 'failing' && covers(known, breach));
}

/** True if a rule has breaches and all of them are known. */
export function isKnownFailing(results: readonly KnownResult[], outcomes: readonly JudgedOutcome[]): boolean {
  const breaches = outcomes.filter(({ verdict }) => verdict === 'fail');
  return breaches.length > 0 && breaches.every((outcome) => isKnownBreach(results, outcome));
}

/** The known failures that fail the run: those that no longer fail, and those that have expired. */
export function staleEntries(results: readonly KnownResult[]): readonly KnownResult[] {
  return results.filter(({ state }) => state === 'mended' || state === 'expired');
}
