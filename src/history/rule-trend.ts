import type { Verdict } from '../journal/finding.ts';
import type { RunRow } from './tables.ts';

/** The result of one run for one rule, with everything that could have changed the result. */
export interface RuleInRun
  extends Pick<
    RunRow,
    | 'number'
    | 'run_id'
    | 'kind'
    | 'started_at'
    | 'ended'
    | 'croupier'
    | 'contract'
    | 'build'
    | 'rules_digest'
    | 'suite_digest'
    | 'config_digest'
    | 'played_digest'
  > {
  readonly verdict: Verdict;
  /** True if the verdict comes only from scenarios that failed and then passed on a retry. */
  readonly flaky: boolean;
  readonly reason: string | null;
  /** The scenarios in which the rule failed. */
  readonly failing: readonly string[];
  /** The scenarios that the run played. */
  readonly played: readonly string[];
}

/** The inputs of a run: everything except chance that may change a verdict. */
export const INPUTS = ['build', 'croupier', 'rules', 'contract', 'suite', 'configuration', 'scenarios'] as const;

type Input = (typeof INPUTS)[number];

/**
 * The state of a rule. `flaky`: the verdict changed although no input changed. `unclear`: the verdict changed several times,
 * and the runs name no build. `broken`: the latest run that decided the rule shows a failure. `warning`: it shows only warnings.
 * `undecided`: no run decided the rule.
 */
export const RULE_STATES = ['broken', 'flaky', 'unclear', 'warning', 'passing', 'undecided'] as const;

/** The verdicts of one rule in the runs of one client, and what these verdicts mean together. */
export interface RuleTrend {
  readonly state: (typeof RULE_STATES)[number];
  /** The runs, the latest first. */
  readonly runs: readonly RuleInRun[];
  /** The number of runs that can be compared with an earlier run in which all inputs were the same. */
  readonly compared: number;
  /** The number of compared runs whose verdict differs from the verdict of the run before. */
  readonly changed: number;
  /** `changed / compared`; null if no runs can be compared. */
  readonly flakiness: number | null;
  /**
   * The number of changes of the verdict between runs that name no build, although all other inputs were the same. A new build may
   * be the cause of such a change. If runs of different scenarios may show the same change, this change is counted once.
   */
  readonly unexplained: number;
  /**
   * The first run whose verdict changed, although its inputs are the same as in the latest run that decided the rule. Null if the
   * rule is not flaky.
   */
  readonly firstChange: RuleInRun | null;
  /** The run in which the failures or warnings began that the latest run still shows. Null if the latest run shows none. */
  readonly since: RuleInRun | null;
  /**
   * The last run before `since` without such a failure or warning. This run has played at least one of the scenarios that fail in
   * `since`. Null if there is no such run.
   */
  readonly lastGood: RuleInRun | null;
  /** The inputs that differ between `lastGood` and `since`. */
  readonly differences: readonly Input[];
}

/**
 * If there are at least this number of unexplained changes, the verdict may depend on chance. A single change may come from a new
 * build.
 */
const MIN_UNEXPLAINED = 2;

/**
 * Sums up the verdicts of one rule.
 *
 * @param runs all runs of one client with one operator, the latest first
 */
export function ruleTrend(runs: readonly RuleInRun[]): RuleTrend {
  // Load tests are left out: a load test lists only broken rules, so it never shows that a rule is fixed.
  const decided = runs.filter(({ verdict, kind }) => verdict !== 'inconclusive' && kind === 'run');
  const [latest] = decided;
  // Only complete runs are compared, because a run that stopped early may have left out the scenario that fails.
  const complete = decided.filter(({ ended }) => ended === 'complete');
  const groups = [...Map.groupBy(complete, groupOf).values()];
  const known = groups.filter(([first]) => first?.build != null).map(changesIn);
  const unknown = groups.filter(([first]) => first?.build == null).map(changesIn);
  const compared = sum(known.map((one) => one.compared));
  const changed = sum(known.map((one) => one.changed));
  const unexplained = leastChanges(unknown.flatMap((group) => group.changes));
  const current = latest && groups.find(([first]) => first && groupOf(first) === groupOf(latest));
  const now = current ? changesIn(current) : undefined;
  const state = stateOf(latest, now?.changed ?? 0);
  const failures = failuresUntilNow(decided);
  return {
    state,
    runs,
    compared,
    changed,
    flakiness: compared === 0 ? null : changed / compared,
    unexplained,
    firstChange: state === 'flaky' ? (now?.changes.at(-1)?.until ?? null) : null,
    ...failures,
    differences: failures.since && failures.lastGood ? differencesOf(failures.lastGood, failures.since) : [],
  };
}

function stateOf(latest: RuleInRun | undefined, changesOfGroup: number): RuleTrend['state'] {
  if (!latest) return 'undecided';
  if (latest.build !== null && changesOfGroup > 0) return 'flaky';
  if (latest.flaky) return 'flaky';
  if (latest.build === null && changesOfGroup >= MIN_UNEXPLAINED) return 'unclear';
  const grade = gradeOf(latest);
  return grade === 'fail' ? 'broken' : grade === 'warn' ? 'warning' : 'passing';
}

/** A rule that was judged with a note is kept by the operator, like a rule that passed without a note. */
function gradeOf({ verdict }: RuleInRun): 'fail' | 'warn' | 'pass' {
  return verdict === 'fail' || verdict === 'warn' ? verdict : 'pass';
}

/** Returns a text that is equal for two runs if all their inputs are the same. */
function groupOf(run: RuleInRun): string {
  return JSON.stringify(INPUTS.map((input) => inputOf(run, input)));
}

function inputOf(run: RuleInRun, input: Input): string | null {
  switch (input) {
    case 'build':
      return run.build;
    case 'croupier':
      return run.croupier;
    case 'rules':
      return run.rules_digest;
    case 'contract':
      return run.contract;
    case 'suite':
      return run.suite_digest;
    case 'configuration':
      return run.config_digest;
    case 'scenarios':
      return run.played_digest;
  }
}

/** Returns the inputs whose values differ between two runs. */
function differencesOf(one: RuleInRun, other: RuleInRun): readonly Input[] {
  return INPUTS.filter((input) => inputOf(one, input) !== inputOf(other, input));
}

/** A change of the verdict of a rule. It happened after the run `after`, and at the latest in the run `until`. */
interface Change {
  readonly after: RuleInRun;
  readonly until: RuleInRun;
}

/** Finds the changes of the verdict within a group of runs with the same inputs. The latest run comes first. */
function changesIn(group: readonly RuleInRun[]): {
  readonly compared: number;
  readonly changed: number;
  readonly changes: readonly Change[];
} {
  let compared = 0;
  let changed = 0;
  const changes: Change[] = [];
  for (const [at, run] of group.entries()) {
    const before = group[at + 1];
    const differs = before !== undefined && gradeOf(before) !== gradeOf(run);
    // A flaky run is compared with itself: the rule failed and then passed within this run, although the inputs were the same.
    if (before || run.flaky) compared += 1;
    if (run.flaky || differs) changed += 1;
    if (run.flaky) changes.push({ after: run, until: run });
    else if (differs) changes.push({ after: before, until: run });
  }
  return { compared, changed, changes };
}

/**
 * Returns the smallest number of changes of the wallet that explains all given changes of verdicts. Example: before and after a
 * repair, somebody runs the whole suite and also a single scenario. Then the verdict changes twice, but the wallet changed only
 * once.
 */
function leastChanges(changes: readonly Change[]): number {
  const byDirection = Map.groupBy(changes, ({ after, until }) => `${gradeOf(after)} ${gradeOf(until)}`);
  return sum(
    [...byDirection.values()].map((same) => {
      let count = 0;
      let last = '';
      for (const { after, until } of same.toSorted((a, b) => (a.until.started_at < b.until.started_at ? -1 : 1))) {
        if (count > 0 && after.started_at < last) continue;
        count += 1;
        last = until.started_at;
      }
      return count;
    }),
  );
}

function failuresUntilNow(decided: readonly RuleInRun[]): Pick<RuleTrend, 'since' | 'lastGood'> {
  const [latest] = decided;
  if (!latest || gradeOf(latest) === 'pass') return { since: null, lastGood: null };
  const isAsBad = (run: RuleInRun): boolean => gradeOf(run) === 'fail' || gradeOf(run) === gradeOf(latest);
  let since = latest;
  for (const run of decided.slice(1)) {
    if (isAsBad(run)) since = run;
    // The failure began after this run only if this run played one of the failing scenarios. If it played only other scenarios, it
    // says nothing about the failure.
    else if (since.failing.length === 0 || since.failing.some((scenario) => run.played.includes(scenario)))
      return { since, lastGood: run };
  }
  return { since, lastGood: null };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
