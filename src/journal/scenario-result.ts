import type { Attempt } from './attempt.ts';
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
  readonly attempt: number;
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
    }));
}

/** Sums up one scenario; `own` are the cells of its last attempt. */
export function scenarioResult(
  planned: PlannedScenario,
  attempt: Attempt | undefined,
  own: readonly JudgedCell[],
  runEnded: RunEnded | null,
): ScenarioResult {
  const ended = attempt?.ended ?? null;
  const findings = own
    .filter(isFinding)
    .flatMap((cell) => cell.findings)
    .toSorted(byGravity);
  const base = {
    planned,
    attempt: attempt?.started?.attempt ?? 0,
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
  return { ...base, state: 'ended', verdict, reason: ended.reason ?? reasonOf(own, verdict).reason };
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
