import type { Attempt, CountedAttempt } from './attempt.ts';
import type { Intermittent, MovedAlone, PlannedScenario, RunEnded } from './event.ts';
import { graver, type Verdict } from './finding.ts';
import {
  byGravity,
  countOf,
  gravest,
  isFinding,
  type JudgedFinding,
  type JudgedOutcome,
  reasonOf,
} from './judged-outcome.ts';
import { EITHER_MOVED_OR_MISREAD } from './moved-alone.ts';
import type { CoreCheck } from './results/core-check.ts';

/** The result of one scenario. */
export interface ScenarioResult {
  readonly planned: PlannedScenario;
  readonly state: 'ended' | 'cut-off' | 'not-started';
  readonly verdict: Verdict;
  readonly reason: string | null;
  /** When the attempt that counts started, on the clock of the run. Null if the scenario was not started. */
  readonly startedAtMs: number | null;
  readonly durationMs: number | null;
  readonly restored: boolean | null;
  /** The number of the attempt whose result counts; 0 if the scenario was not started. */
  readonly attempt: number;
  /** Number of retries after a failure. */
  readonly retries: number;
  /** True if the scenario failed and then passed on retry. */
  readonly flaky: boolean;
  readonly sessions: Readonly<Record<string, string>>;
  /** The kinds of calls that the scenario tries. It is left out if there are none. */
  readonly checks?: readonly CoreCheck[];
  readonly findings: readonly JudgedFinding[];
  readonly findingCount: number;
}

/**
 * A skipped or undecided scenario reports nothing about some rules that it lists. Returns an outcome for each of these rules.
 * Returns an empty list for other scenarios.
 */
export function impliedOutcomes(
  scenario: PlannedScenario,
  attempt: Attempt | undefined,
  own: readonly JudgedOutcome[],
): readonly JudgedOutcome[] {
  const ended = attempt?.ended;
  if (!ended || (ended.verdict !== 'skip' && ended.verdict !== 'inconclusive')) return [];
  const { verdict, reason } = ended;
  return scenario.rules
    .filter((rule) => !own.some((outcome) => outcome.rule === rule))
    .map((rule) => ({
      scenario: scenario.id,
      rule,
      endpoint: null,
      verdict,
      because: null,
      reason,
      count: 0,
      noMoney: false,
      wrongSums: {},
      sums: [],
      repliedSums: [],
      findings: [],
      flaky: false,
    }));
}

/**
 * Sums up the result of one scenario.
 *
 * @param own the outcomes of the attempt that counts, and of a flaky failure before it
 */
export function scenarioResult(
  planned: PlannedScenario,
  counting: CountedAttempt | undefined,
  own: readonly JudgedOutcome[],
  runEnded: RunEnded | null,
  retries: number,
): ScenarioResult {
  const attempt = counting?.attempt;
  const flaky = counting?.flaky ?? null;
  const ended = attempt?.ended ?? null;
  const findings = own
    .filter(isFinding)
    .flatMap((outcome) => outcome.findings)
    .toSorted(byGravity);
  const base = {
    planned,
    attempt: attempt?.started?.attempt ?? 0,
    retries,
    flaky: flaky !== null,
    sessions: attempt?.started?.sessions ?? {},
    ...(attempt?.started?.checks && { checks: attempt.started.checks }),
    startedAtMs: attempt?.started?.at ?? null,
    durationMs: ended?.durationMs ?? null,
    restored: ended?.restored ?? null,
    findings,
    findingCount: countOf(own, isFinding),
  };
  if (!attempt) {
    return { ...base, state: 'not-started', verdict: 'untested', reason: stopReason(runEnded) };
  }
  if (!ended) {
    return {
      ...base,
      state: 'cut-off',
      verdict: graver('inconclusive', gravest(own)),
      reason: `it was cut off: ${stopReason(runEnded)}`,
    };
  }
  // If another rule explains a finding of the scenario, the new verdict of the finding replaces the scenario's own verdict. An
  // undecided scenario stays undecided.
  const explained = own.some((outcome) => outcome.because !== null || outcome.isInDoubt);
  const doubt = ended.verdict === 'inconclusive' || own.length === 0;
  const verdict = explained && !doubt ? gravest(own) : graver(ended.verdict, gravest(own));
  const reason = ended.reason ?? reasonOf(own, verdict).reason;
  if (!flaky) return { ...base, state: 'ended', verdict, reason };
  const often = flaky.times === 1 ? 'once' : `${flaky.times} times`;
  return {
    ...base,
    state: 'ended',
    verdict,
    reason: `it failed ${often} and then passed: ${reason ?? 'the reason is unknown'}`,
  };
}

/** Returns the reason why a planned scenario was not played. */
export function stopReason(ended: RunEnded | null): string {
  if (ended === null) return 'the run was cut off';
  switch (ended.how) {
    case 'complete':
      return 'the run ended before it was played';
    case 'bail':
      return 'the run stopped early after failures (--bail)';
    case 'time':
      return 'the time limit of the run ended before the scenario was played (--time)';
    case 'interrupted':
      return 'the run was interrupted';
    case 'unreachable':
      return ended.lastReply ? 'the operator stopped answering' : 'the operator could not be reached';
    case 'in-use':
      return 'another command used the players';
    case 'bug':
      return 'croupier failed';
  }
}

/** The reason if a scenario was played to its end, but did not decide a rule that it tests. */
export const NOT_SHOWN = 'nothing in this scenario showed whether the operator follows the rule';

/** The reason if a scenario was stopped because a balance changed while no call was in flight. */
export const MOVED_ALONE = `the balance changed without a call of this run: ${EITHER_MOVED_OR_MISREAD}`;

const MAX_NAMES = 4;

/**
 * True if somebody else may have moved balances in the run. False if failures without such a change prove that the operator moves
 * wrong sums now and then.
 */
export function mayBeOfOthers({ movedAlone, intermittent }: MovedSigns): boolean {
  return movedAlone !== null || intermittent === null;
}

/** The signs that somebody else, or the operator, moves balances. */
interface MovedSigns {
  readonly movedAlone: MovedAlone | null;
  readonly intermittent: Intermittent | null;
}

/**
 * If a balance changed by itself in a scenario that failed, returns a warning that another user of the session, or wrong reads, may
 * have caused failures. Null if this happened in no scenario, or if the operator itself is proven to move wrong sums.
 */
export function movedAloneWarning(fold: { readonly scenarios: readonly ScenarioResult[] } & MovedSigns): string | null {
  const { scenarios } = fold;
  if (!mayBeOfOthers(fold)) return null;
  const seen = scenarios
    .filter(({ verdict, reason }) => verdict === 'fail' && reason === MOVED_ALONE)
    .map(({ planned }) => planned.id);
  if (seen.length === 0) return null;
  const more = seen.length > MAX_NAMES ? `, and ${seen.length - MAX_NAMES} more` : '';
  return `In ${seen.slice(0, MAX_NAMES).join(', ')}${more} the balance also changed while croupier sent nothing: another process that uses the session, or wrong reads of the operator, may have caused these failures. Make sure that only croupier uses the session, and run again before you fix anything.`;
}
