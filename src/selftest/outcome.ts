import type { RuleId } from '../contract/catalogue.ts';
import { conclude } from '../journal/conclusion.ts';
import type { Verdict } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import type { Trial, TrialKind } from './trial.ts';

/** Findings shown of each rule that was judged wrongly. */
const MOST_TOLD = 3;

/** What a run against one operator reported, beside what it should have. */
export interface Outcome {
  readonly name: string;
  readonly kind: TrialKind;
  /** Rules that should have been reported. */
  readonly expected: readonly RuleId[];
  readonly failed: readonly RuleId[];
  readonly warned: readonly RuleId[];
  readonly undecided: readonly RuleId[];
  /** What is wrong with this judgement; empty: it is right. */
  readonly wrongs: readonly Wrong[];
  /** The scenarios that failed or warned, ids with their case. */
  readonly alarmed: readonly string[];
  readonly exitCode: number;
  readonly durationMs: number;
}

/** One way in which a judgement is wrong. */
export interface Wrong {
  readonly kind: 'missed' | 'unrelated' | 'undecided' | 'status' | 'fault';
  readonly rule: RuleId | null;
  /** In whole words: what happened, and where it was seen. */
  readonly told: readonly string[];
}

/** Compares what a run found with what a trial holds. `faults` are errors that the operator itself threw. */
export function outcomeOf(trial: Trial, fold: Fold, faults: readonly string[], durationMs: number): Outcome {
  const withVerdict = (verdict: Verdict) =>
    fold.rules.filter((result) => result.verdict === verdict).map(({ rule }) => rule.id);
  const failed = withVerdict('fail');
  const warned = withVerdict('warn');
  const undecided = withVerdict('inconclusive');
  const { exitCode } = conclude(fold);
  const wrongs = [
    ...missedBy(trial, new Set([...failed, ...warned]), fold),
    ...strangersIn(trial, [...failed, ...warned], fold),
    ...doubtsIn(trial, undecided, fold),
    ...wrongStatus(trial, exitCode),
    ...[...new Set(faults)].map((fault): Wrong => ({ kind: 'fault', rule: null, told: [fault] })),
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
    exitCode,
    durationMs,
  };
}

/** A scenario may have warned of something and yet have ended undecided: its findings tell. */
function alarmedIn({ rules }: Fold): readonly string[] {
  const findings = rules.flatMap((result) => result.findings);
  const alarms = findings.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  return [...new Set(alarms.map(({ scenario }) => scenario))];
}

/** Of two runs, before and after a restart, one has to find what the trial holds; neither may accuse anybody wrongly. */
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

/** One defect alone must be told whole. Of two at once each must be found; one can stand in the way of a rule of the other. */
function missedBy(trial: Trial, found: ReadonlySet<RuleId>, fold: Fold): readonly Wrong[] {
  const missed =
    trial.kind === 'several'
      ? trial.breaks.filter((rules) => !rules.some((rule) => found.has(rule))).flat()
      : trial.breaks.flat().filter((rule) => !found.has(rule));
  return missed.map((rule) => ({ kind: 'missed', rule, told: tell(rule, fold) }));
}

function strangersIn(trial: Trial, found: readonly RuleId[], fold: Fold): readonly Wrong[] {
  const known = new Set([...trial.breaks.flat(), ...trial.mayBreak]);
  return found.filter((rule) => !known.has(rule)).map((rule) => ({ kind: 'unrelated', rule, told: tell(rule, fold) }));
}

/** Where nothing is broken, nothing may stay open. */
function doubtsIn({ kind }: Trial, undecided: readonly RuleId[], fold: Fold): readonly Wrong[] {
  if (kind !== 'correct' && kind !== 'habit') return [];
  return undecided.map((rule) => ({ kind: 'undecided', rule, told: tell(rule, fold) }));
}

function wrongStatus(trial: Trial, exitCode: number): readonly Wrong[] {
  if (
    trial.mustFail
      ? exitCode === 1
      : exitCode === 0 || (exitCode === 3 && trial.kind !== 'correct' && trial.kind !== 'habit')
  )
    return [];
  return [
    {
      kind: 'status',
      rule: null,
      told: [`the run ended with status ${exitCode}, it should have been ${trial.mustFail ? 1 : 0}`],
    },
  ];
}

function tell(id: RuleId, fold: Fold): readonly string[] {
  const result = fold.rules.find(({ rule }) => rule.id === id);
  if (!result) return [];
  const findings = result.findings.filter(({ verdict }) => verdict !== 'pass').slice(0, MOST_TOLD);
  if (findings.length === 0) return [`${result.verdict}${result.reason === null ? '' : `: ${result.reason}`}`];
  return findings.map(({ scenario, place, expected, actual, verdict, because }) => {
    const where = place ? `${scenario} (${place.file}:${place.line})` : scenario;
    return `${verdict} in ${where}: expected ${expected}; ${actual}${because === null ? '' : `; because of ${because}`}`;
  });
}
