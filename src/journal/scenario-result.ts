import type { Attempt, Counting } from './attempt.ts';
import type { PlannedScenario, RunEnded } from './event.ts';
import { graver, type Verdict } from './finding.ts';
import {
  byGravity,
  countOf,
  gravest,
  isFinding,
  type JudgedCell,
  type JudgedFinding,
  reasonOf,
} from './judged-cell.ts';

/** What became of one scenario. */
export interface ScenarioResult {
  readonly planned: PlannedScenario;
  readonly state: 'ended' | 'cut-off' | 'not-started';
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly durationMs: number | null;
  readonly restored: boolean | null;
  /** The attempt that counts. */
  readonly attempt: number;
  /** How often it was played again because it had failed. */
  readonly retries: number;
  /** True: it failed, and passed when it was played again. */
  readonly flaky: boolean;
  readonly sessions: Readonly<Record<string, string>>;
  readonly findings: readonly JudgedFinding[];
  readonly findingCount: number;
}

/** What a scenario that was skipped, or could not be played to its end, says about the rules that it was there for. */
export function impliedCells(
  scenario: PlannedScenario,
  attempt: Attempt | undefined,
  own: readonly JudgedCell[],
): readonly JudgedCell[] {
  const ended = attempt?.ended;
  if (!ended || (ended.verdict !== 'skip' && ended.verdict !== 'inconclusive')) return [];
  const { verdict, reason } = ended;
  return scenario.rules
    .filter((rule) => !own.some((cell) => cell.rule === rule))
    .map((rule) => ({
      scenario: scenario.id,
      rule,
      endpoint: null,
      verdict,
      because: null,
      reason,
      count: 0,
      findings: [],
      flaky: false,
    }));
}

/** Sums up one scenario; `own` are the cells of the attempt that counts, and of a failure that was flaky. */
export function scenarioResult(
  planned: PlannedScenario,
  counting: Counting | undefined,
  own: readonly JudgedCell[],
  runEnded: RunEnded | null,
  retries: number,
): ScenarioResult {
  const attempt = counting?.attempt;
  const flaky = counting?.flaky ?? null;
  const ended = attempt?.ended ?? null;
  const findings = own
    .filter(isFinding)
    .flatMap((cell) => cell.findings)
    .toSorted(byGravity);
  const base = {
    planned,
    attempt: attempt?.started?.attempt ?? 0,
    retries,
    flaky: flaky !== null,
    sessions: attempt?.started?.sessions ?? {},
    durationMs: ended?.durationMs ?? null,
    restored: ended?.restored ?? null,
    findings,
    findingCount: countOf(own, isFinding),
  };
  if (!attempt) {
    return { ...base, state: 'not-started', verdict: 'untested', reason: howItStopped(runEnded) };
  }
  if (!ended) {
    return {
      ...base,
      state: 'cut-off',
      verdict: graver('inconclusive', gravest(own)),
      reason: `it was cut off: ${howItStopped(runEnded)}`,
    };
  }
  // When the whole run explains a finding away, the scenario's own verdict no longer stands; its doubts do.
  const explained = own.some((cell) => cell.because !== null);
  const doubt = ended.verdict === 'inconclusive' || own.length === 0;
  const verdict = explained && !doubt ? gravest(own) : graver(ended.verdict, gravest(own));
  const reason = ended.reason ?? reasonOf(own, verdict).reason;
  if (!flaky) return { ...base, state: 'ended', verdict, reason };
  const often = flaky.times === 1 ? 'once' : `${flaky.times} times`;
  return {
    ...base,
    state: 'ended',
    verdict,
    reason: `it failed ${often} and then passed: ${reason ?? 'nothing says why'}`,
  };
}

/** Why something that was planned was not played. */
export function howItStopped(ended: RunEnded | null): string {
  if (ended === null) return 'the run was cut off';
  switch (ended.how) {
    case 'complete':
      return 'the run ended before it was played';
    case 'bail':
      return 'the run stopped early after failures (--bail)';
    case 'interrupted':
      return 'the run was interrupted';
    case 'unreachable':
      return 'the operator could not be reached';
    case 'bug':
      return 'croupier failed';
  }
}
