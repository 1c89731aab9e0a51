import { type RuleId, ruleById } from '../contract/catalogue.ts';
import { conclude } from '../journal/conclusion.ts';
import type { Verdict } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import type { Trial, TrialKind } from './trials.ts';

/** Maximum number of findings that are shown for each rule with a wrong result. */
const MAX_FINDINGS = 3;

/** The result of a run against one operator, and how it differs from the expected result. */
export interface Outcome {
  readonly name: string;
  readonly kind: TrialKind;
  /** The rules that the run had to report. */
  readonly expected: readonly RuleId[];
  readonly failed: readonly RuleId[];
  readonly warned: readonly RuleId[];
  readonly undecided: readonly RuleId[];
  /** The errors in the judgement; empty if the judgement is right. */
  readonly wrongs: readonly Wrong[];
  /** The ids of the scenarios that failed or warned. An id includes the case of the scenario. */
  readonly alarmed: readonly string[];
  /** A transaction that a load test names, with what happened to it. Null if the trial is no load test, or names none. */
  readonly named: string | null;
  readonly exitCode: number;
  readonly durationMs: number;
}

/** One error in a judgement. */
export interface Wrong {
  readonly kind: 'missed' | 'unrelated' | 'undecided' | 'status' | 'fault';
  readonly rule: RuleId | null;
  /** The findings with their places, as sentences. `selftest --json` publishes this field, so its name can't be changed. */
  readonly details: readonly string[];
}

/**
 * Compares the findings of a run with the expectations of the trial.
 *
 * @param faults errors that the operator itself threw
 */
export function outcomeOf(trial: Trial, fold: Fold, faults: readonly string[], durationMs: number): Outcome {
  const withVerdict = (verdict: Verdict) =>
    fold.rules.filter((result) => result.verdict === verdict).map(({ rule }) => rule.id);
  const failed = withVerdict('fail');
  const warned = withVerdict('warn');
  const undecided = withVerdict('inconclusive');
  const { exitCode } = conclude(fold);
  const wrongs = [
    ...missedBy(trial, new Set([...failed, ...warned]), fold),
    ...unrelatedIn(trial, failed, warned, fold),
    ...undecidedIn(trial, undecided, fold),
    ...wrongStatus(trial, exitCode),
    ...[...new Set(faults)].map((fault): Wrong => ({ kind: 'fault', rule: null, details: [fault] })),
  ];
  return {
    name: trial.name,
    kind: trial.kind,
    expected: [...new Set(trial.breaks.flat())],
    failed,
    warned,
    undecided,
    wrongs,
    alarmed: alarmedIn(fold),
    named: null,
    exitCode,
    durationMs,
  };
}

/**
 * Returns the scenarios that failed or warned. Reads the findings, and not the results of the scenarios: a scenario with a warning
 * may have the result undecided, which hides the warning.
 */
function alarmedIn({ rules }: Fold): readonly string[] {
  const findings = rules.flatMap((result) => result.findings);
  const alarms = findings.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  return [...new Set(alarms.map(({ scenario }) => scenario))];
}

/**
 * Joins the outcomes of two runs, before and after a restart. Each expected rule must be reported in at least one run. An
 * unrelated rule must be reported in neither run.
 */
export function outcomeOfBoth(first: Outcome, second: Outcome): Outcome {
  const both = <T>(a: readonly T[], b: readonly T[]): readonly T[] => [...new Set([...a, ...b])];
  const failed = both(first.failed, second.failed);
  const warned = both(first.warned, second.warned);
  const found = new Set([...failed, ...warned]);
  return {
    ...second,
    failed,
    warned,
    wrongs: [
      ...first.wrongs.filter(({ kind }) => kind === 'unrelated' || kind === 'fault'),
      ...second.wrongs.filter(({ kind, rule }) => kind !== 'missed' || rule === null || !found.has(rule)),
    ],
    alarmed: both(first.alarmed, second.alarmed),
    durationMs: first.durationMs + second.durationMs,
  };
}

/**
 * Returns the expected rules that were not reported. If the operator has several defects, one rule of each defect is enough,
 * because one defect can hide a rule of another defect.
 */
function missedBy(trial: Trial, found: ReadonlySet<RuleId>, fold: Fold): readonly Wrong[] {
  const missed =
    trial.kind === 'several'
      ? trial.breaks.filter((rules) => !rules.some((rule) => found.has(rule))).flat()
      : trial.breaks.flat().filter((rule) => !found.has(rule));
  return missed.map((rule) => ({ kind: 'missed', rule, details: detailsOf(rule, fold) }));
}

function unrelatedIn(trial: Trial, failed: readonly RuleId[], warned: readonly RuleId[], fold: Fold): readonly Wrong[] {
  const known = new Set([...trial.breaks.flat(), ...trial.mayBreak]);
  // A correct variant may only give warnings.
  const mayFail = trial.kind === 'variant' ? new Set<RuleId>() : known;
  return [...failed.filter((rule) => !mayFail.has(rule)), ...warned.filter((rule) => !known.has(rule))].map((rule) => ({
    kind: 'unrelated',
    rule,
    details: detailsOf(rule, fold),
  }));
}

/** If the operator is correct, returns the undecided rules as errors, because then the run must decide every rule. */
function undecidedIn({ kind }: Trial, undecided: readonly RuleId[], fold: Fold): readonly Wrong[] {
  if (kind !== 'correct' && kind !== 'variant') return [];
  return undecided.map((rule) => ({ kind: 'undecided', rule, details: detailsOf(rule, fold) }));
}

function wrongStatus(trial: Trial, exitCode: number): readonly Wrong[] {
  const mayFail = !trial.mayConform || trial.mayBreak.some((rule) => ruleById(rule).level === 'MUST');
  const mayEnd = trial.mustFail
    ? [1]
    : [...(trial.mayConform ? [0] : []), ...(mayFail ? [1] : []), ...(trial.mayBeUndecided ? [3] : [])];
  if (mayEnd.includes(exitCode)) return [];
  return [
    {
      kind: 'status',
      rule: null,
      details: [`the run ended with status ${exitCode}, but should have ended with ${mayEnd.join(' or ')}`],
    },
  ];
}

function detailsOf(id: RuleId, fold: Fold): readonly string[] {
  const result = fold.rules.find(({ rule }) => rule.id === id);
  if (!result) return [];
  const findings = result.findings.filter(({ verdict }) => verdict !== 'pass').slice(0, MAX_FINDINGS);
  if (findings.length === 0) return [`${result.verdict}${result.reason === null ? '' : `: ${result.reason}`}`];
  return findings.map(({ scenario, place, expected, actual, verdict, because }) => {
    const where = place ? `${scenario} (${place.file}:${place.line})` : scenario;
    return `${verdict} in ${where}: expected ${expected}; ${actual}${because === null ? '' : `; because of ${because}`}`;
  });
}

/** A scenario and its rules. All cases of a scenario count as one. */
interface Guarded {
  /** The id of the scenario without the id of the case. */
  readonly scenarioId: string;
  readonly rules: readonly RuleId[];
}

/**
 * Returns the scenarios that neither failed nor warned against any defect, so that they are useless. Scenarios that have only
 * NOTE rules are left out, because they cannot fail.
 *
 * @returns ids without a case
 */
export function idleScenarios(scenarios: readonly Guarded[], outcomes: readonly Outcome[]): readonly string[] {
  const alarmed = new Set(outcomes.flatMap((outcome) => outcome.alarmed).map(withoutCase));
  const able = scenarios.filter(({ rules }) => rules.some((rule) => ruleById(rule).level !== 'NOTE'));
  return [...new Set(able.map(({ scenarioId }) => scenarioId))].filter((id) => !alarmed.has(id));
}

function withoutCase(id: string): string {
  const at = id.indexOf('#');
  return at === -1 ? id : id.slice(0, at);
}
