import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Raced, ScenarioEnded, ScenarioStarted } from './event.ts';
import type { Finding, Verdict } from './finding.ts';

/** So many findings are kept as examples of one verdict on one rule at one endpoint in one scenario; all are counted. */
const SAMPLES = 5;
/** So many races of one attempt are kept: a story with a race is told a few times, not without end. */
const RACES = 100;
/** Longer phrases of a finding are cut: an operator's text may stand in them. */
const PHRASE = 4000;

/** What one scenario says about one rule at one endpoint with one verdict. */
export interface Cell {
  readonly rule: Finding['rule'];
  readonly endpoint: CallName | null;
  readonly verdict: Verdict;
  count: number;
  readonly samples: Finding[];
}

/** One attempt at a scenario: what it found, summed up so that its size does not follow the number of steps. */
export interface Attempt {
  readonly started: ScenarioStarted | null;
  readonly cells: Map<string, Cell>;
  readonly races: Raced[];
  ended: ScenarioEnded | null;
  /** An earlier attempt that failed, where this one is to show whether it always does. */
  readonly failed: Failure | null;
}

/** What was found before a failed scenario was played again. */
interface Failure {
  /** The latest attempt that failed. */
  readonly attempt: Attempt;
  /** How often it has failed. */
  readonly times: number;
}

/** What counts of a scenario that was played several times. */
export interface Counting {
  readonly attempt: Attempt;
  /** The failure before it, when it passed; what was played again and decided nothing takes no failure away. */
  readonly flaky: Failure | null;
}

/** Begins an attempt. @param before the one before it */
export function startAttempt(started: ScenarioStarted | null, before?: Attempt): Attempt {
  return { started, cells: new Map(), races: [], ended: null, failed: failureBefore(started, before) };
}

function failureBefore(started: ScenarioStarted | null, before: Attempt | undefined): Failure | null {
  if (started?.retry === undefined || !before) return null;
  return hasFailed(before) ? { attempt: before, times: (before.failed?.times ?? 0) + 1 } : before.failed;
}

function hasFailed({ cells }: Attempt): boolean {
  return [...cells.values()].some(({ verdict }) => verdict === 'fail');
}

/** Which of the attempts at a scenario counts. @param last the latest of them */
export function countingAttempt(last: Attempt): Counting {
  if (!last.failed || hasFailed(last)) return { attempt: last, flaky: null };
  const verdict = last.ended?.verdict;
  const passed = verdict === 'pass' || verdict === 'warn' || verdict === 'note';
  return passed ? { attempt: last, flaky: last.failed } : { attempt: last.failed.attempt, flaky: null };
}

function cellOf(attempt: Attempt, rule: Finding['rule'], endpoint: CallName | null, verdict: Verdict): Cell {
  const key = `${rule} ${endpoint ?? '*'} ${verdict}`;
  let cell = attempt.cells.get(key);
  if (!cell) {
    cell = { rule, endpoint, verdict, count: 0, samples: [] };
    attempt.cells.set(key, cell);
  }
  return cell;
}

/** Counts a finding, and keeps the first ones as examples. */
export function addFinding(attempt: Attempt, finding: Finding): void {
  const cell = cellOf(attempt, finding.rule, finding.endpoint, finding.verdict);
  cell.count += 1;
  if (cell.samples.length < SAMPLES) {
    cell.samples.push({
      ...finding,
      expected: finding.expected.slice(0, PHRASE),
      actual: finding.actual.slice(0, PHRASE),
    });
  }
}

/** Notes what was let go together, for the findings that show it. */
export function addRace(attempt: Attempt, race: Raced): void {
  if (attempt.races.length < RACES) attempt.races.push(race);
}

/** Counts what held, from the sums that a scenario ends with. */
export function addPasses(attempt: Attempt, ended: ScenarioEnded): void {
  for (const [rule, endpoints] of Object.entries(ended.passes)) {
    for (const [endpoint, count] of Object.entries(endpoints)) {
      const at = endpoint === '*' ? null : (endpoint as CallName);
      cellOf(attempt, rule as RuleId, at, 'pass').count += count;
    }
  }
}
