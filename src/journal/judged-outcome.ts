import type { CallName } from '../contract/call-name.ts';
import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Level } from '../contract/rule.ts';
import type { RuleOutcome } from './attempt.ts';
import type { Attributed } from './event.ts';
import { EXPECTATION, type Finding, graver, VERDICTS, type Verdict } from './finding.ts';

/** A finding with its final verdict, after attribution. */
export interface JudgedFinding extends Finding {
  readonly scenario: string;
  /** The rule whose breach explains it; null: no attribution changed the verdict. */
  readonly because: RuleId | null;
  /** Why the verdict differs from the one of the step; null if it does not. */
  readonly reason: string | null;
  /** True: the scenario passed on retry. */
  readonly flaky: boolean;
}

/** An outcome of a scenario with its final verdict, after attribution. */
export interface JudgedOutcome {
  readonly scenario: string;
  readonly rule: Finding['rule'];
  readonly endpoint: CallName | null;
  readonly verdict: Verdict;
  readonly because: RuleId | null;
  readonly reason: string | null;
  readonly count: number;
  readonly findings: readonly JudgedFinding[];
  /** True: the scenario passed on retry. */
  readonly flaky: boolean;
}

/** Limits the verdict of a breach by the level of the rule. */
function atLevel(level: Level, verdict: Verdict, strict: boolean): Verdict {
  if (verdict !== 'fail' && verdict !== 'warn') return verdict;
  switch (level) {
    case 'MUST':
      return verdict;
    case 'SHOULD':
      return strict ? 'fail' : 'warn';
    case 'NOTE':
      return 'note';
  }
}

function matches(attribution: Attributed, scenario: string, outcome: RuleOutcome): boolean {
  return (
    attribution.rule === outcome.rule &&
    (attribution.endpoint === null || attribution.endpoint === outcome.endpoint) &&
    (attribution.scenario === null || attribution.scenario === scenario) &&
    // A rule that was not tested needs no explanation.
    outcome.verdict !== 'skip'
  );
}

/** Gives an outcome its final verdict. If several attributions match, the latest one counts. */
export function judgeOutcome(
  scenario: string,
  outcome: RuleOutcome,
  attributions: readonly Attributed[],
  strict: boolean,
): JudgedOutcome {
  const attribution = attributions.findLast((candidate) => matches(candidate, scenario, outcome));
  const level = outcome.rule === EXPECTATION ? 'MUST' : ruleById(outcome.rule).level;
  const verdict = atLevel(level, attribution?.verdict ?? outcome.verdict, strict);
  const because = attribution?.because ?? null;
  const reason = attribution?.reason ?? null;
  const base = {
    scenario,
    rule: outcome.rule,
    endpoint: outcome.endpoint,
    verdict,
    because,
    reason,
    count: outcome.count,
    flaky: false,
  };
  return {
    ...base,
    findings: outcome.samples.map((finding) => ({
      ...finding,
      verdict: verdict === 'untested' ? 'skip' : verdict,
      scenario,
      because,
      reason,
      flaky: false,
    })),
  };
}

/** Keeps an outcome of a failed attempt after which the scenario passed, if it is a breach or was attributed to one. */
export function flakyOutcome(outcome: JudgedOutcome, allowed: boolean): readonly JudgedOutcome[] {
  if (outcome.verdict !== 'fail' && outcome.verdict !== 'inconclusive') return [];
  if (outcome.verdict === 'inconclusive' && outcome.because === null) return [];
  const verdict = allowed ? 'warn' : outcome.verdict;
  return [
    {
      ...outcome,
      verdict,
      flaky: true,
      findings: outcome.findings.map((one) => ({ ...one, verdict, flaky: true })),
    },
  ];
}

const gravity = (verdict: Verdict): number => VERDICTS.indexOf(verdict);
/** Sorts the most severe verdict first. */
export const byGravity = (a: { readonly verdict: Verdict }, b: { readonly verdict: Verdict }): number =>
  gravity(a.verdict) - gravity(b.verdict);

/** The most severe verdict; `untested` if there are no outcomes. */
export function gravest(outcomes: readonly { readonly verdict: Verdict }[]): Verdict {
  return outcomes.reduce<Verdict>((verdict, outcome) => graver(verdict, outcome.verdict), 'untested');
}

export function countOf(outcomes: readonly JudgedOutcome[], wanted: (outcome: JudgedOutcome) => boolean): number {
  return outcomes.reduce((sum, outcome) => (wanted(outcome) ? sum + outcome.count : sum), 0);
}

/** True if the rule was decided. */
export const isDecided = (outcome: JudgedOutcome): boolean =>
  outcome.verdict !== 'skip' && outcome.verdict !== 'inconclusive';
export const isFinding = (outcome: JudgedOutcome): boolean => outcome.findings.length > 0;

/** Why a rule has this verdict: the reason of an attribution first, else the first finding. */
export function reasonOf(
  outcomes: readonly JudgedOutcome[],
  verdict: Verdict,
): { reason: string | null; because: RuleId | null; seenIn: string | null } {
  if (verdict === 'pass') return { reason: null, because: null, seenIn: null };
  const own = outcomes.filter((outcome) => outcome.verdict === verdict);
  const main = own.find((outcome) => outcome.reason !== null) ?? own[0];
  return {
    reason: main?.reason ?? main?.findings[0]?.actual ?? null,
    because: main?.because ?? null,
    seenIn: main?.scenario ?? null,
  };
}
