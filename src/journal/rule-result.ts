import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Rule } from '../contract/rule.ts';
import { isThere } from '../contract/since.ts';
import { contractVersion } from '../contract/versions.ts';
import { isKnownFailing, type KnownResult } from './baseline.ts';
import type { RunEnded, RunStarted } from './event.ts';
import type { Verdict } from './finding.ts';
import {
  byGravity,
  countOf,
  gravest,
  isDecided,
  isFinding,
  type JudgedCell,
  type JudgedFinding,
  reasonOf,
} from './judged-cell.ts';
import { howItStopped, type ScenarioResult } from './scenario-result.ts';

interface EndpointResult {
  readonly endpoint: CallName;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly checks: number;
}

/** What the run says about one rule of the catalogue. */
export interface RuleResult {
  readonly rule: Rule;
  /** The gravest of all that was found. */
  readonly verdict: Verdict;
  /** Why it is not a pass, in the words of its most telling finding; null for a pass. */
  readonly reason: string | null;
  /** The rule whose breach explains the verdict. */
  readonly because: RuleId | null;
  /** True: nothing speaks for the verdict but what failed and then passed when it was played again. */
  readonly flaky: boolean;
  /** The scenario that the reason comes from. */
  readonly seenIn: string | null;
  /** How often it was decided, one way or the other. */
  readonly checks: number;
  /** How often it was found broken, what counts as a failure only. */
  readonly breaches: number;
  /** True: it fails, and all of its breaches are on the run's baseline. */
  readonly isKnown: boolean;
  /** Scenarios that tried it, in the order of the plan. */
  readonly scenarios: readonly string[];
  /** A verdict for each endpoint, where the rule is judged at each; else empty. */
  readonly endpoints: readonly EndpointResult[];
  /** Examples, gravest first, of equals the most telling; `findingCount` counts all. */
  readonly findings: readonly JudgedFinding[];
  readonly findingCount: number;
}

/** The cell of the most telling finding first, so that the reason is that of the place that reports lead to. */
function tellingFirst(cells: readonly JudgedCell[], [telling]: readonly JudgedFinding[]): readonly JudgedCell[] {
  const first = cells.filter((cell) => telling !== undefined && cell.findings.includes(telling));
  return [...first, ...cells.filter((cell) => !first.includes(cell))];
}

/**
 * Sums up one rule. One that its scenarios were there for and left open is inconclusive, unless another scenario decided it.
 *
 * @param cells all that was said about this rule
 */
export function ruleResult(
  rule: Rule,
  cells: readonly JudgedCell[],
  scenarios: readonly ScenarioResult[],
  how: { readonly run: RunStarted; readonly ended: RunEnded | null; readonly baseline: readonly KnownResult[] },
): RuleResult {
  const tried = new Set(cells.filter((cell) => cell.verdict !== 'skip').map((cell) => cell.scenario));
  const base = {
    rule,
    checks: countOf(cells, isDecided),
    scenarios: [...tried],
    breaches: countOf(cells, ({ verdict }) => verdict === 'fail'),
    isKnown: isKnownFailing(how.baseline, cells),
    findings: cells.flatMap((cell) => cell.findings).toSorted(mostTelling(rule, scenarios)),
    findingCount: countOf(cells, isFinding),
    flaky: false,
    endpoints: (rule.endpoints ?? []).map((endpoint): EndpointResult => {
      const here = cells.filter((cell) => cell.endpoint === endpoint);
      const verdict = gravest(here);
      return { endpoint, verdict, reason: reasonOf(here, verdict).reason, checks: countOf(here, isDecided) };
    }),
  };
  const version = contractVersion(how.run.contract);
  if (version && !isThere(rule.since, version)) {
    const reason = `it came with version ${rule.since} of the contract, and this run judges by ${how.run.contract}`;
    return { ...base, verdict: 'skip', because: null, seenIn: null, reason };
  }
  const verdict = gravest(cells);
  if (verdict !== 'untested' && verdict !== 'skip') {
    const flaky = cells.every((cell) => cell.verdict !== verdict || cell.flaky);
    const why = reasonOf(tellingFirst(cells, base.findings), verdict);
    const reason = flaky ? `${why.reason ?? ''} (flaky: the scenario passed when it was played again)` : why.reason;
    return { ...base, verdict, ...why, reason, flaky };
  }
  const heard = new Set(cells.map((cell) => cell.scenario));
  const undecided = scenarios.find(
    ({ planned, state }) => planned.rules.includes(rule.id) && state !== 'not-started' && !heard.has(planned.id),
  );
  // A skip with its reason says more than that the scenario is over.
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
  if (verdict === 'skip') return { ...base, verdict, ...reasonOf(cells, verdict) };
  return { ...base, verdict, because: null, seenIn: null, reason: whyUntested(rule, scenarios, how) };
}

/**
 * Gravest first, then what nothing else would explain, then the rule's own stories, of these the one of its name, then what an
 * exchange shows.
 */
function mostTelling(rule: Rule, scenarios: readonly ScenarioResult[]) {
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
  if (waiting) return howItStopped(ended);
  return run.whole ? 'no scenario of this run tries it' : 'not among what was selected';
}
