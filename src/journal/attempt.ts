import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Raced, ScenarioEnded, ScenarioStarted, SumFound } from './event.ts';
import type { Finding, Verdict } from './finding.ts';
import { addUp, joinSums, type MoneySums, type WrongSum } from './money-sums.ts';
import type { CheckCounts } from './results/failure-rate.ts';

/** Maximum number of findings that are kept as examples for one outcome. Further findings are only counted. */
const MAX_SAMPLES = 5;
/** Maximum number of wrong sums that are kept for one outcome. */
const MAX_SUMS = 50;
/** Maximum number of races that are kept for one attempt. A scenario with a race is repeated only a few times. */
const MAX_RACES = 100;
/** Maximum number of characters of a text in a finding. Such a text can be long, because it can contain text from the operator. */
const MAX_TEXT = 4000;

/** The findings and passes of one attempt for one rule, one endpoint and one verdict. */
export interface RuleOutcome {
  readonly rule: Finding['rule'];
  readonly endpoint: CallName | null;
  readonly verdict: Verdict;
  count: number;
  /** True if each of these findings is a breach that moved no money. */
  noMoney: boolean;
  /**
   * True if each of these findings is a failure that did not occur again when croupier repeated the scenario, or whose repetition is
   * missing.
   */
  isUnrepeated: boolean;
  /** True if each of these findings is a failure whose repetition is missing. */
  awaitsRepetition: boolean;
  /** True if one of these findings shows a wrong balance in a reply, and shows it again when croupier repeats the scenario. */
  hasWrongReply: boolean;
  /** True if one of these findings shows a wrong balance in a reply, also if the repetition did not show it again. */
  showsWrongReply: boolean;
  /** The sums by which these findings made balances wrong. */
  wrongSums: MoneySums;
  /** The single sums, but not more than a maximum number. */
  readonly sums: WrongSum[];
  /** The single sums by which replies were wrong, but not more than a maximum number. */
  readonly repliedSums: WrongSum[];
  readonly samples: Finding[];
}

/**
 * One attempt to play a scenario. Findings are only counted, except for a few examples. So the size of this object does not depend
 * on the number of steps.
 */
export interface Attempt {
  readonly started: ScenarioStarted | null;
  readonly outcomes: Map<string, RuleOutcome>;
  readonly races: Raced[];
  /** Number of rounds that the attempt has played of a scenario with a race. 0 if the scenario has no race. */
  rounds: number;
  /** The rounds of the attempts before. */
  readonly roundsBefore: CheckCounts;
  /** The exchanges that showed failures in the attempts before. A repetition reports the failures that did not occur again once more. */
  readonly failedBefore: ReadonlySet<string | null>;
  /** The number of attempts before, for each rule and step that failed in each of them. Null for the first attempt. */
  readonly alwaysBefore: ReadonlyMap<string, number> | null;
  ended: ScenarioEnded | null;
  /** The earlier failure, if this attempt is a retry; null otherwise. */
  readonly failed: Failure | null;
}

/** The failure of a scenario before its retry. */
interface Failure {
  /** The latest attempt that failed. */
  readonly attempt: Attempt;
  /** Number of failed attempts. */
  readonly times: number;
}

/** The attempt of a scenario whose result counts. */
export interface CountedAttempt {
  readonly attempt: Attempt;
  /**
   * The earlier failure, if this attempt is a retry that passed; null otherwise. If the retry decided nothing, the failed attempt
   * is the attempt that counts.
   */
  readonly flaky: Failure | null;
}

/**
 * Starts an attempt.
 *
 * @param before the previous attempt to play the same scenario
 */
export function startAttempt(started: ScenarioStarted | null, before?: Attempt): Attempt {
  return {
    started,
    outcomes: new Map(),
    races: [],
    rounds: 0,
    roundsBefore: before ? playedRounds(before) : { failed: 0, checks: 0 },
    failedBefore: new Set(before && [...before.failedBefore, ...failedExchanges(before)]),
    alwaysBefore: before ? alwaysFailing(before) : null,
    ended: null,
    failed: failureBefore(started, before),
  };
}

function failureBefore(started: ScenarioStarted | null, before: Attempt | undefined): Failure | null {
  if (started?.retry === undefined || !before) return null;
  return hasFailed(before) ? { attempt: before, times: (before.failed?.times ?? 0) + 1 } : before.failed;
}

/**
 * Returns the rounds that all attempts so far have played of a scenario with a race. An attempt ends with the first round that fails, so it
 * has at most one such round.
 */
export function playedRounds(attempt: Attempt): CheckCounts {
  const { rounds, roundsBefore, failedBefore } = attempt;
  const isNew = (exchange: string | null): boolean => exchange === null || !failedBefore.has(exchange);
  const isFailure = rounds > 0 && failedExchanges(attempt).some(isNew);
  return { failed: roundsBefore.failed + (isFailure ? 1 : 0), checks: roundsBefore.checks + rounds };
}

/**
 * Returns the number of attempts so far, for each rule and step that failed in each of them. A repetition reports the failures that did not
 * occur again once more, so only a failure with a new exchange counts.
 */
function alwaysFailing({ outcomes, failedBefore, alwaysBefore }: Attempt): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { verdict, samples } of outcomes.values()) {
    for (const finding of verdict === 'fail' ? samples : []) {
      const key = stepOf(finding);
      const before = alwaysBefore === null ? 0 : alwaysBefore.get(key);
      const isNew = finding.exchange !== null && !failedBefore.has(finding.exchange);
      if (before !== undefined && isNew) counts.set(key, before + 1);
    }
  }
  return counts;
}

function stepOf({ rule, endpoint, step }: Finding): string {
  return `${rule} ${endpoint ?? '*'} ${step}`;
}

/**
 * Returns the number of repetitions in which an outcome failed at the same step, if it failed at this step in each attempt. 0 if it did not,
 * or if the scenario has a race: there, each attempt has several rounds.
 */
export function repetitionsOf(attempt: Attempt, { samples }: RuleOutcome): number {
  if (attempt.rounds > 0) return 0;
  const counts = alwaysFailing(attempt);
  return Math.max(0, ...samples.map((finding) => (counts.get(stepOf(finding)) ?? 1) - 1));
}

/** Returns the exchanges that show the failures of an attempt. Null stands for a failure that no exchange shows. */
function failedExchanges({ outcomes }: Attempt): readonly (string | null)[] {
  return [...outcomes.values()].flatMap(({ verdict, samples }) =>
    verdict === 'fail' ? samples.map(({ exchange }) => exchange) : [],
  );
}

function hasFailed({ outcomes }: Attempt): boolean {
  return [...outcomes.values()].some(({ verdict }) => verdict === 'fail');
}

/**
 * Selects the attempt whose result counts.
 *
 * @param last the latest attempt to play the scenario
 */
export function countedAttempt(last: Attempt): CountedAttempt {
  if (!last.failed || hasFailed(last)) return { attempt: last, flaky: null };
  const verdict = last.ended?.verdict;
  const passed = verdict === 'pass' || verdict === 'warn' || verdict === 'note';
  return passed ? { attempt: last, flaky: last.failed } : { attempt: last.failed.attempt, flaky: null };
}

function outcomeFor(attempt: Attempt, rule: Finding['rule'], endpoint: CallName | null, verdict: Verdict): RuleOutcome {
  const key = `${rule} ${endpoint ?? '*'} ${verdict}`;
  let outcome = attempt.outcomes.get(key);
  if (!outcome) {
    outcome = {
      rule,
      endpoint,
      verdict,
      count: 0,
      noMoney: true,
      isUnrepeated: true,
      awaitsRepetition: true,
      hasWrongReply: false,
      showsWrongReply: false,
      wrongSums: {},
      sums: [],
      repliedSums: [],
      samples: [],
    };
    attempt.outcomes.set(key, outcome);
  }
  return outcome;
}

/** Counts a finding, and keeps it as an example if the maximum number of examples is not reached. */
export function addFinding(attempt: Attempt, finding: Finding): void {
  const outcome = outcomeFor(attempt, finding.rule, finding.endpoint, finding.verdict);
  outcome.count += 1;
  outcome.noMoney &&= finding.noMoney === true;
  outcome.isUnrepeated &&= finding.unrepeated === true || finding.awaitsRepetition === true;
  outcome.awaitsRepetition &&= finding.awaitsRepetition === true;
  outcome.showsWrongReply ||= finding.wrongReply === true;
  outcome.hasWrongReply ||= finding.wrongReply === true && !finding.unrepeated && !finding.awaitsRepetition;
  if (finding.repliedSum && outcome.repliedSums.length < MAX_SUMS) outcome.repliedSums.push(finding.repliedSum);
  if (finding.wrongSum) addWrongSum(outcome, finding.wrongSum);
  if (outcome.samples.length >= MAX_SAMPLES && !finding.shownByReplies) return;
  const sample = {
    ...finding,
    expected: finding.expected.slice(0, MAX_TEXT),
    actual: finding.actual.slice(0, MAX_TEXT),
  };
  // The other findings may come from old reads. So a finding that the replies prove is the better example.
  const at = finding.shownByReplies ? outcome.samples.findIndex(({ shownByReplies }) => !shownByReplies) : -1;
  if (at >= 0) outcome.samples.splice(at, 0, sample);
  else outcome.samples.push(sample);
  outcome.samples.splice(MAX_SAMPLES);
}

/** Adds a sum to the breach that it belongs to. */
export function addSum(attempt: Attempt, { rule, endpoint, wrongSum }: SumFound): void {
  const outcome = [...attempt.outcomes.values()].find(
    (one) => one.rule === rule && one.endpoint === endpoint && (one.verdict === 'fail' || one.verdict === 'warn'),
  );
  if (outcome) addWrongSum(outcome, wrongSum);
}

function addWrongSum(outcome: RuleOutcome, wrongSum: WrongSum): void {
  outcome.wrongSums = joinSums([outcome.wrongSums, addUp([wrongSum])]);
  if (outcome.sums.length < MAX_SUMS) outcome.sums.push(wrongSum);
}

/** Keeps a race, so that reports can show it beside its findings. */
export function addRace(attempt: Attempt, race: Raced): void {
  attempt.rounds = Math.max(attempt.rounds, race.round);
  if (attempt.races.length < MAX_RACES) attempt.races.push(race);
}

/** Adds the passes that are counted in the last event of a scenario. */
export function addPasses(attempt: Attempt, ended: ScenarioEnded): void {
  for (const [rule, endpoints] of Object.entries(ended.passes)) {
    for (const [endpoint, count] of Object.entries(endpoints)) {
      const at = endpoint === '*' ? null : (endpoint as CallName);
      outcomeFor(attempt, rule as RuleId, at, 'pass').count += count;
    }
  }
}
