import type { KnownFailure, RunEnded, RunStarted } from './event.ts';
import { isDecided, type JudgedOutcome } from './judged-outcome.ts';

/**
 * The state of a known failure after a run. `failing` means that it still fails. `mended` means that it was tested and
 * no longer fails, so the user must remove it from the baseline.
 * `expired` means that its last valid day is over. `undecided` means that it was not tested enough. `mended` and
 * `expired` entries fail the run.
 */
type KnownState = 'failing' | 'mended' | 'expired' | 'undecided';

export interface KnownResult {
  readonly known: KnownFailure;
  readonly state: KnownState;
}

/** The rule, endpoint and scenario of a breach. */
type Breach = Pick<JudgedOutcome, 'rule' | 'endpoint' | 'scenario'>;

/**
 * Finds the state of each entry of the run's baseline.
 *
 * @param outcomes all outcomes of the run, after attribution
 */
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
  // A warning is also a failure here, because the breach of a SHOULD rule gives only a warning.
  if (own.some(({ verdict }) => verdict === 'fail' || verdict === 'warn')) return isExpired ? 'expired' : 'failing';
  const isOpen = own.some(({ verdict }) => verdict === 'inconclusive');
  // A rule that passes in one shard (one part of a divided run) may fail in another shard. A single shard can therefore
  // not show that a failure is fixed.
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

/** True for a breach that the baseline lists as a known failure and whose entry has not expired. */
export function isKnownBreach(results: readonly KnownResult[], breach: Breach): boolean {
  return results.some(({ known, state }) => state === 'failing' && covers(known, breach));
}

/** True if a rule has breaches and all of them are known failures. */
export function isKnownFailing(results: readonly KnownResult[], outcomes: readonly JudgedOutcome[]): boolean {
  const breaches = outcomes.filter(({ verdict }) => verdict === 'fail');
  return breaches.length > 0 && breaches.every((outcome) => isKnownBreach(results, outcome));
}

/** Returns the entries of the baseline that fail the run, because the failure is fixed or the entry has expired. */
export function staleEntries(results: readonly KnownResult[]): readonly KnownResult[] {
  return results.filter(({ state }) => state === 'mended' || state === 'expired');
}
