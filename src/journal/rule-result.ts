import type { CallName } from '../contract/call-name.ts';
import type { Rule, RuleId } from '../contract/catalogue.ts';
import { contractVersion, isThere } from '../contract/versions.ts';
import { isKnownFailing, type KnownResult } from './baseline.ts';
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
  reasonOf,
} from './judged-outcome.ts';
import { type ScenarioResult, stopReason } from './scenario-result.ts';

interface EndpointResult {
  readonly endpoint: CallName;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly checks: number;
}

/** The result of a run for one rule of the catalogue. */
export interface RuleResult {
  readonly rule: Rule;
  /** The most severe verdict of all outcomes. */
  readonly verdict: Verdict;
  /** Why it is not a pass, in the words of its main finding; null for a pass. */
  readonly reason: string | null;
  /** The rule whose breach explains the verdict. */
  readonly because: RuleId | null;
  /** True: the verdict comes only from scenarios that failed and then passed on retry. */
  readonly flaky: boolean;
  /** The scenario that the reason comes from. */
  readonly seenIn: string | null;
  /** Number of checks that decided it. */
  readonly checks: number;
  /** Number of findings with the verdict `fail`. */
  readonly breaches: number;
  /** True: it fails, and all of its breaches are on the run's baseline. */
  readonly isKnown: boolean;
  /** Scenarios that tested it, in the order of the plan. */
  readonly scenarios: readonly string[];
  /** A verdict for each endpoint if the rule is judged by endpoint, else empty. */
  readonly endpoints: readonly EndpointResult[];
  /** Examples, the most severe and most informative first. `findingCount` is the number of all findings. */
  readonly findings: readonly JudgedFinding[];
  readonly findingCount: number;
}

/** Puts the outcome of the main finding first, so that the reason belongs to the place that reports point to. */
function mainFindingFirst(
  outcomes: readonly JudgedOutcome[],
  [main]: readonly JudgedFinding[],
): readonly JudgedOutcome[] {
  const first = outcomes.filter((outcome) => main !== undefined && outcome.findings.includes(main));
  return [...first, ...outcomes.filter((outcome) => !first.includes(outcome))];
}

/**
 * Sums up one rule. If a scenario that claims the rule did not decide it, the rule is inconclusive, unless another scenario
 * decided it.
 *
 * @param outcomes all outcomes of this rule
 */
export function ruleResult(
  rule: Rule,
  outcomes: readonly JudgedOutcome[],
  scenarios: readonly ScenarioResult[],
  how: { readonly run: RunStarted; readonly ended: RunEnded | null; readonly baseline: readonly KnownResult[] },
): RuleResult {
  const tried = new Set(outcomes.filter((outcome) => outcome.verdict !== 'skip').map((outcome) => outcome.scenario));
  const base = {
    rule,
    checks: countOf(outcomes, isDecided),
    scenarios: [...tried],
    breaches: countOf(outcomes, ({ verdict }) => verdict === 'fail'),
    isKnown: isKnownFailing(how.baseline, outcomes),
    findings: outcomes.flatMap((outcome) => outcome.findings).toSorted(byImportance(rule, scenarios)),
    findingCount: countOf(outcomes, isFinding),
    flaky: false,
    endpoints: (rule.endpoints ?? []).map((endpoint): EndpointResult => {
      const here = outcomes.filter((outcome) => outcome.endpoint === endpoint);
      const verdict = gravest(here);
      return { endpoint, verdict, reason: reasonOf(here, verdict).reason, checks: countOf(here, isDecided) };
    }),
  };
  const version = contractVersion(how.run.contract);
  if (version && !isThere(rule.since, version)) {
    const reason = `the rule is new in version ${rule.since} of the contract, and this run uses version ${how.run.contract}`;
    return { ...base, verdict: 'skip', because: null, seenIn: null, reason };
  }
  const verdict = gravest(outcomes);
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
  // The reason of a skip is more useful than the fact that the scenario ended.
  if (undecided && (verdict === 'untested' || undecided.state === 'cut-off')) {
    return {
      ...base,
      verdict: 'inconclusive',
      because: null,
      seenIn: undecided.planned.id,
      reason:
        undecided.state === 'cut-off'
          ? 'its scenario was cut off before it was decided'
          : 'its scenario ended without deciding it',
    };
  }
  if (verdict === 'skip') return { ...base, verdict, ...reasonOf(outcomes, verdict) };
  return { ...base, verdict, because: null, seenIn: null, reason: whyUntested(rule, scenarios, how) };
}

/**
 * Compares findings: the most severe first, then those that no other rule explains, then those of the scenario that is named like
 * the rule, then those of scenarios that claim the rule, then those that an exchange shows.
 */
function byImportance(rule: Rule, scenarios: readonly ScenarioResult[]) {
  const claims = new Map(scenarios.map(({ planned }) => [planned.id, planned.rules.indexOf(rule.id)]));
  const weight = ({ causes, scenario, exchange }: JudgedFinding): number => {
    const claim = claims.get(scenario) ?? -1;
    const isNamesake = scenario.split('#')[0] === rule.id.replace('.', '/');
    return (
      (causes.length === 0 ? 16 : 0) +
      (isNamesake ? 8 : 0) +
      (claim === 0 ? 4 : claim > 0 ? 2 : 0) +
      (exchange === null ? 0 : 1)
    );
  };
  return (a: JudgedFinding, b: JudgedFinding): number => byGravity(a, b) || weight(b) - weight(a);
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
