import type { CallName } from '../contract/call-name.ts';
import type { Rule, RuleId } from '../contract/catalogue.ts';
import { isEveryday } from '../contract/currencies.ts';
import { contractVersion, isThere } from '../contract/versions.ts';
import { type KnownResult, newPlaces } from './baseline.ts';
import type { RunEnded, RunStarted } from './event.ts';
import type { Verdict } from './finding.ts';
import {
  byGravity,
  countOf,
  gravest,
  isDecided,
  isFinding,
  type JudgedFinding,
  type JudgedOutcome,
  type RulePlace,
  reasonOf,
} from './judged-outcome.ts';
import { joinSums, type MoneySums } from './money-sums.ts';
import { conditionsIn } from './results/missing-conditions.ts';
import { type ScenarioResult, stopReason } from './scenario-result.ts';
import { bySize, largestShare, type Share } from './share.ts';

interface EndpointResult {
  readonly endpoint: CallName;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly checks: number;
}

/** The result of a run for one rule of the catalogue. */
export interface RuleResult {
  /**
   * The rule. If its breaches moved no money, `money` is false and `means` is missing, because the harm that the catalogue
   * describes did not occur.
   */
  readonly rule: Rule;
  /** The most severe verdict of all outcomes. */
  readonly verdict: Verdict;
  /** The reason for the verdict, in the words of the main finding; null if the verdict is `pass`. */
  readonly reason: string | null;
  /** The rule whose breach explains the verdict; null if no other rule explains it. */
  readonly because: RuleId | null;
  /** True if the rule has this verdict only because of scenarios that failed and then passed on retry. */
  readonly flaky: boolean;
  /** The id of the scenario that gave the reason; null if there is no such scenario. */
  readonly seenIn: string | null;
  /** Number of checks that gave a decision about the rule. */
  readonly checks: number;
  /** Number of these checks that failed. */
  readonly failedChecks: number;
  /** For a skip: true if the rule stays untested because the operator declined calls that its tests need. */
  readonly isDeclined: boolean;
  /** The sums by which breaches of the rule made balances wrong. */
  readonly wrongSums: MoneySums;
  /** Number of findings with the verdict `fail`. */
  readonly breaches: number;
  /** True if the rule fails and all of its breaches are on the run's baseline. */
  readonly isKnown: boolean;
  /** True if the baseline of the run lists the rule, but the rule also fails in a way that no entry of the baseline allows. */
  readonly isWorse: boolean;
  /** The results at each place where the rule was tried. */
  readonly places: readonly RulePlace[];
  /** Ids of the scenarios that tested the rule, in the order of the plan. */
  readonly scenarios: readonly string[];
  /** One verdict for each endpoint, if the rule is judged separately for each endpoint; otherwise empty. */
  readonly endpoints: readonly EndpointResult[];
  /** Examples of findings, the most severe and most informative first. `findingCount` is the number of all findings. */
  readonly findings: readonly JudgedFinding[];
  readonly findingCount: number;
}

/** Puts the outcome with the main finding first. So the reason of the result comes from the same place that reports show. */
function mainFindingFirst(
  outcomes: readonly JudgedOutcome[],
  [main]: readonly JudgedFinding[],
): readonly JudgedOutcome[] {
  const first = outcomes.filter((outcome) => main !== undefined && outcome.findings.includes(main));
  return [...first, ...outcomes.filter((outcome) => !first.includes(outcome))];
}

/**
 * Sums up the results for one rule. The rule is inconclusive if a scenario that lists it ended without a decision. But if another
 * scenario decided the rule, this decision counts.
 *
 * @param outcomes all outcomes of this rule
 */
export function ruleResult(
  rule: Rule,
  outcomes: readonly JudgedOutcome[],
  scenarios: readonly ScenarioResult[],
  how: {
    readonly run: RunStarted;
    readonly ended: RunEnded | null;
    readonly baseline: readonly KnownResult[];
    /** The results at each place where the rule was tried. */
    readonly places: readonly RulePlace[];
  },
): RuleResult {
  const tried = new Set(outcomes.filter((outcome) => outcome.verdict !== 'skip').map((outcome) => outcome.scenario));
  const breaches = outcomes.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
  const { places } = how;
  const isFailing = places.some(({ failed }) => failed > 0);
  const fresh = newPlaces(how.baseline, places);
  const isNew = fresh.length > 0;
  const base = {
    rule: shownRule(rule, breaches),
    checks: countOf(outcomes, isDecided),
    failedChecks: countOf(outcomes, ({ verdict: own }) => own === 'fail'),
    scenarios: [...tried],
    breaches: countOf(outcomes, ({ verdict }) => verdict === 'fail'),
    wrongSums: joinSums(breaches.map((outcome) => outcome.wrongSums)),
    isKnown: isFailing && !isNew,
    isWorse:
      isNew &&
      how.baseline.some(({ known, state }) => known.rule === rule.id && !known.undecided && state !== 'expired'),
    places,
    findings: outcomes.flatMap((outcome) => outcome.findings).toSorted(byImportance(rule, scenarios, how, fresh)),
    findingCount: countOf(outcomes, isFinding),
    flaky: false,
    isDeclined: false,
    endpoints: (rule.endpoints ?? []).map((endpoint): EndpointResult => {
      const here = outcomes.filter((outcome) => outcome.endpoint === endpoint);
      const verdict = gravest(here);
      return { endpoint, verdict, reason: reasonOf(here, verdict).reason, checks: countOf(here, isDecided) };
    }),
  };
  const version = contractVersion(how.run.contract);
  if (version && !isThere(rule.since, version)) {
    const reason = `the rule is new in version ${rule.since} of the contract, but this run uses version ${how.run.contract}`;
    return { ...base, verdict: 'skip', because: null, seenIn: null, reason };
  }
  // A skipped scenario shows nothing. If calls of other scenarios happened to follow the rule, they show nothing either.
  const skipped = skippedTests(rule, outcomes, scenarios);
  if (skipped.length > 0) return { ...base, ...skipOf(skipped) };
  // If another rule explains a breach, the breach does not hide a warning that no other rule explains.
  const hasWarning = outcomes.some((outcome) => outcome.verdict === 'warn');
  const verdict = gravest(
    hasWarning ? outcomes.filter((one) => one.verdict !== 'inconclusive' || one.because === null) : outcomes,
  );
  if (verdict !== 'untested' && verdict !== 'skip') {
    const flaky = outcomes.every((outcome) => outcome.verdict !== verdict || outcome.flaky);
    const why = reasonOf(mainFindingFirst(outcomes, base.findings), verdict);
    const reason = flaky ? `${why.reason ?? ''} (flaky: the scenario passed on retry)` : why.reason;
    return { ...base, verdict, ...why, reason, flaky };
  }
  const reporting = new Set(outcomes.map((outcome) => outcome.scenario));
  const undecided = scenarios.find(
    ({ planned, state }) => planned.rules.includes(rule.id) && state !== 'not-started' && !reporting.has(planned.id),
  );
  // If the result already has a reason for a skip, this reason is kept, because it is more useful than the fact that the scenario
  // ended.
  if (undecided && (verdict === 'untested' || undecided.state === 'cut-off')) {
    return {
      ...base,
      verdict: 'inconclusive',
      because: null,
      seenIn: undecided.planned.id,
      reason:
        undecided.state === 'cut-off'
          ? 'the run was cut off before the scenario decided the rule'
          : 'the scenario ended without deciding the rule',
    };
  }
  if (verdict === 'skip') {
    // If scenarios that list this rule were skipped, only their reasons are used, because these reasons say what is missing.
    const own = outcomes.filter((one) => testing(rule, scenarios).has(one.scenario));
    return { ...base, ...skipOf(own.length > 0 ? own : outcomes) };
  }
  return { ...base, verdict, because: null, seenIn: null, reason: whyUntested(rule, scenarios, how) };
}

/**
 * Returns the skips of the scenarios that list the rule, if all these scenarios were skipped and the rule only passed. Other
 * scenarios may have passed checks of the rule, but they are not made to find a breach of this rule. So these passes do not count
 * as a test. Returns an empty list if the rule was tested, or if no scenario of the run lists it.
 */
function skippedTests(
  rule: Rule,
  outcomes: readonly JudgedOutcome[],
  scenarios: readonly ScenarioResult[],
): readonly JudgedOutcome[] {
  const tests = testing(rule, scenarios);
  if (tests.size === 0 || gravest(outcomes) !== 'pass') return [];
  const isSkipped = ({ state, verdict }: ScenarioResult): boolean => state === 'ended' && verdict === 'skip';
  const own = outcomes.filter(({ scenario }) => tests.has(scenario));
  return [...tests.values()].every(isSkipped) && own.every(({ verdict }) => verdict === 'skip') ? own : [];
}

/** The rules about the effect of one kind of call, with this kind. */
const KINDS: readonly { readonly rule: RuleId; readonly call: CallName }[] = [
  { rule: 'bet.debit', call: 'bet' },
  { rule: 'win.credit', call: 'win' },
  { rule: 'refund.restore', call: 'refund' },
];

/**
 * Returns the rule with what its breaches have shown: if they moved no money, the harm that the catalogue describes did not happen. If
 * balance calls showed old balances, another part of the wallet is wrong than if they had failed.
 */
function shownRule(rule: Rule, breaches: readonly JudgedOutcome[]): Rule {
  if (breaches.length === 0) return rule;
  const isStale =
    rule.id === 'balance.read' && breaches.every(({ findings }) => findings.every((one) => one.staleRead));
  if (isStale) return { ...rule, ...OF_STALE_READS };
  return rule.money && breaches.every((outcome) => outcome.noMoney) ? { ...rule, money: false, means: null } : rule;
}

/** The harm of balance calls that show old balances, and where to look in the wallet. */
const OF_STALE_READS = {
  means: 'Players see an old balance, which does not include their last bets or wins.',
  hint: 'Read the balance from the database to which bets and wins are written, and not from a cache or a read replica. Almost every other rule is judged by reading the balance, so fix this rule first.',
};

/** Returns the scenarios that list the rule, by id. */
function testing({ id }: Rule, scenarios: readonly ScenarioResult[]): ReadonlyMap<string, ScenarioResult> {
  return new Map(
    scenarios.filter(({ planned }) => planned.rules.includes(id)).map((result) => [result.planned.id, result]),
  );
}

/** Returns the verdict of a rule whose tests were skipped, with the most useful reason. */
function skipOf(outcomes: readonly JudgedOutcome[]) {
  const declined = outcomes.filter(({ findings }) => findings.some((finding) => finding.declined));
  // The words with which the operator declined a call are more useful than the reason of another skip. If several scenarios lack
  // something, the longest list of conditions is shown. With a shorter list, the user would meet all its conditions, and only then
  // learn of the next one.
  const mostFirst = outcomes.toSorted((a, b) => conditionsIn(b.reason).length - conditionsIn(a.reason).length);
  const why = reasonOf(declined.length > 0 ? declined : mostFirst, 'skip');
  return { verdict: 'skip', ...why, isDeclined: declined.length > 0 } as const;
}

/**
 * Returns a function that compares findings by importance. The most severe findings come first. Among equally severe
 * findings, these come first, in this order of preference:
 * - findings that the baseline of the run does not allow
 * - findings that no known failure of a bet, win or refund explains, and findings with a larger share of the amounts of the calls
 * - findings that no other rule explains
 * - findings of a scenario that lists the rule
 * - findings of a scenario that was played in an everyday currency
 * - findings of a scenario with the name of the rule
 * - findings that an exchange shows
 */
function byImportance(
  rule: Rule,
  scenarios: readonly ScenarioResult[],
  { run: { settings }, baseline }: { readonly run: RunStarted; readonly baseline: readonly KnownResult[] },
  fresh: readonly RulePlace[],
) {
  const known = KINDS.filter((kind) => baseline.some((one) => one.state === 'failing' && one.known.rule === kind.rule));
  const isOfKnown = ({ causes, wrongSum }: JudgedFinding): boolean =>
    known.some(
      (kind) =>
        causes.includes(kind.rule) &&
        (wrongSum?.calls === undefined || wrongSum.calls.some(({ call }) => call === kind.call)),
    );
  const shareIn = ({ wrongSum }: JudgedFinding): Share | undefined =>
    fresh.length > 0 && baseline.length > 0 && wrongSum ? largestShare([wrongSum], settings.stakes ?? {}) : undefined;
  const isFresh = ({ endpoint, scenario }: JudgedFinding): boolean =>
    fresh.some((place) => place.endpoint === endpoint && place.scenario === scenario);
  const claims = new Map(scenarios.map(({ planned }) => [planned.id, planned.rules.indexOf(rule.id)]));
  const everyday = new Set(
    settings.sessions
      .filter(({ currency }) => currency !== null && isEveryday(currency))
      .map(({ sessionID }) => sessionID),
  );
  const readable = new Set(
    scenarios.filter(({ sessions }) => everyday.has(sessions.main ?? '')).map(({ planned }) => planned.id),
  );
  const weight = (finding: JudgedFinding): number => {
    const { causes, scenario, exchange } = finding;
    const claim = claims.get(scenario) ?? -1;
    const isNamesake = scenario.split('#')[0] === rule.id.replace('.', '/');
    return (
      (isFresh(finding) ? 256 : 0) +
      (known.length > 0 && !isOfKnown(finding) ? 128 : 0) +
      (causes.length === 0 ? 64 : 0) +
      (claim === 0 ? 32 : claim > 0 ? 16 : 0) +
      (readable.has(scenario) ? 8 : 0) +
      (isNamesake ? 4 : 0) +
      (exchange === null ? 0 : 2)
    );
  };
  return (a: JudgedFinding, b: JudgedFinding): number =>
    byGravity(a, b) ||
    Number(isFresh(b)) - Number(isFresh(a)) ||
    (isFresh(a) ? bySize(shareIn(b), shareIn(a)) : 0) ||
    weight(b) - weight(a);
}

function whyUntested(
  rule: Rule,
  scenarios: readonly ScenarioResult[],
  { run, ended }: { readonly run: RunStarted; readonly ended: RunEnded | null },
): string {
  const waiting = scenarios.some(({ planned }) => planned.rules.includes(rule.id));
  if (waiting) return stopReason(ended);
  return run.whole ? 'no scenario of this run tests it' : 'not selected';
}
