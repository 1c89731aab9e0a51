import type { RuleId } from '../contract/catalogue.ts';
import { EXPECTATION, type Verdict } from './finding.ts';
import { byGravity, countOf, isFinding, type JudgedFinding, type JudgedOutcome } from './judged-outcome.ts';
import type { WrongSum } from './money-sums.ts';
import { mayExplainSums } from './results/explained-sums.ts';
import { mayExplainIn } from './results/explaining.ts';
import type { PlayedPlayers } from './results/played-players.ts';
import type { RuleResult } from './rule-result.ts';
import { needsMovedMoney } from './second-effect.ts';

/** A rule, with its findings that the breach of another rule explains. */
interface Explained {
  readonly rule: RuleId;
  readonly verdict: Verdict;
}

/** A broken rule that is a likely cause, with the findings of other rules that it explains. */
export interface Cause {
  readonly result: RuleResult;
  /**
   * The rules that this cause explains. The rules with the most severe verdicts come first. Rules with the same verdict are in the
   * order of the catalogue.
   */
  readonly explains: readonly Explained[];
  /** Number of findings of the rule itself and of the rules that it explains. */
  readonly findings: number;
  /** Ids of the scenarios in which the rule itself was broken, the most informative first. */
  readonly scenarios: readonly string[];
  /** The finding that the user should look at first. */
  readonly mainFinding: JudgedFinding | null;
}

/**
 * Finds a small set of broken rules that explains every breach of the run, and everything that could not be decided because of a
 * breach. The order of the result:
 *
 * 1. rules about money
 * 2. the rules that explain the most findings
 * 3. the rules for which the largest share of the checks failed
 *
 * The result does not cover scenarios in which only an expectation of the scenario itself was not met, because no rule is the
 * reason for this.
 *
 * @param rules the results of all rules
 * @param outcomes all outcomes of the run, after attribution
 * @param played the players of each scenario. A rule that fails only with other players is no cause
 * @param stakes the stake in each currency of the sessions. A rule that made balances wrong by other shares of the calls is no cause
 */
export function likelyCauses(
  rules: readonly RuleResult[],
  outcomes: readonly JudgedOutcome[],
  played: PlayedPlayers,
  stakes: Readonly<Record<string, string>> = {},
): readonly Cause[] {
  const broken = rules.filter(({ verdict }) => verdict === 'fail');
  const failing = Map.groupBy(
    outcomes.filter(({ verdict }) => verdict === 'fail'),
    ({ rule }) => rule,
  );
  const sumsOf = (rule: RuleId): readonly WrongSum[] => (failing.get(rule) ?? []).flatMap(({ sums }) => sums);
  const breaches = outcomes
    .filter(({ verdict, rule }) => verdict === 'fail' && rule !== EXPECTATION)
    .map((outcome) => ({ rule: outcome.rule, suspects: candidatesOf(outcome, broken, { played, sumsOf, stakes }) }));
  const chosen = smallestCover(
    broken,
    breaches.map(({ suspects }) => suspects),
  );
  const standsFor = new Map<string, RuleId>();
  for (const { rule } of broken) {
    const suspects = breaches.filter((breach) => breach.rule === rule.id).flatMap((breach) => [...breach.suspects]);
    const cause = chosen.has(rule.id) ? rule.id : mostFrequent(suspects.filter((suspect) => chosen.has(suspect)));
    if (cause !== undefined) standsFor.set(rule.id, cause);
  }
  const explained = Map.groupBy(
    outcomes.filter(({ rule }) => !chosen.has(rule)),
    ({ because, verdict, rule }) => standsFor.get(because ?? (verdict === 'fail' ? rule : '')),
  );
  return broken
    .filter(({ rule }) => chosen.has(rule.id))
    .map((result) => causeOf(result, explained.get(result.rule.id) ?? [], rules))
    .filter((cause) => explainsNewFailure(cause, rules))
    .toSorted(
      (a, b) =>
        Number(b.result.rule.money) - Number(a.result.rule.money) ||
        b.findings - a.findings ||
        shareOf(b.result) - shareOf(a.result) ||
        b.explains.length - a.explains.length,
    );
}

/** The share of the checks of a rule that show its breach, from 0 to 1. */
function shareOf({ breaches, checks }: RuleResult): number {
  return checks === 0 ? 0 : breaches / checks;
}

/** True if the cause is a new failure, or explains one. If the cause only explains known failures, reports need not show it. */
function explainsNewFailure({ result, explains }: Cause, rules: readonly RuleResult[]): boolean {
  const isNewFailure = ({ rule }: Explained): boolean =>
    rules.some((other) => other.rule.id === rule && other.verdict === 'fail' && !other.isKnown);
  return !result.isKnown || explains.some(isNewFailure);
}

function causeOf(result: RuleResult, explained: readonly JudgedOutcome[], rules: readonly RuleResult[]): Cause {
  const ids = new Set(explained.map(({ rule }) => rule));
  const own = result.findings.filter(({ verdict }) => verdict === 'fail');
  return {
    result,
    explains: rules
      .filter(({ rule }) => ids.has(rule.id))
      .map(({ rule, verdict }) => ({ rule: rule.id, verdict }))
      .toSorted(byGravity),
    findings: result.breaches + countOf(explained, isFinding),
    scenarios: [...new Set(own.map(({ scenario }) => scenario))],
    mainFinding: own[0] ?? null,
  };
}

/**
 * Returns the broken rules that may be the cause of a breach: the rule of the breach itself, and each rule that all findings of the
 * breach name as a cause, if its own breaches may explain the wrong sums.
 */
function candidatesOf(
  outcome: JudgedOutcome,
  broken: readonly RuleResult[],
  {
    played,
    sumsOf,
    stakes,
  }: {
    readonly played: PlayedPlayers;
    readonly sumsOf: (rule: RuleId) => readonly WrongSum[];
    readonly stakes: Readonly<Record<string, string>>;
  },
): ReadonlySet<RuleId> {
  const named = broken.filter((result) => {
    const { rule, wrongSums } = result;
    const isNamed = outcome.findings.every(
      (finding) =>
        finding.causes.includes(rule.id) && (!needsMovedMoney(rule.id, finding) || Object.keys(wrongSums).length > 0),
    );
    if (rule.id === outcome.rule) return true;
    return (
      isNamed &&
      mayExplainIn(outcome.scenario, result, played) &&
      mayExplainSums(outcome.sums, rule.id, sumsOf(rule.id), stakes)
    );
  });
  return new Set(named.map(({ rule }) => rule.id));
}

/**
 * Finds a small set of rules that explains all breaches (a set cover, with a greedy algorithm). First chooses each rule that is the
 * only explanation of a breach. Then always chooses the rule that explains the most of the remaining breaches. If several rules
 * explain the same number of breaches, chooses a rule about money, or else the first rule in the catalogue.
 */
function smallestCover(broken: readonly RuleResult[], suspects: readonly ReadonlySet<RuleId>[]): ReadonlySet<string> {
  const chosen = new Set<string>(suspects.filter(({ size }) => size === 1).flatMap((only) => [...only]));
  for (;;) {
    const open = suspects.filter((each) => ![...each].some((rule) => chosen.has(rule)));
    const [best] = broken
      .map(({ rule }) => ({ rule, covers: open.filter((each) => each.has(rule.id)).length }))
      .toSorted((a, b) => b.covers - a.covers || Number(b.rule.money) - Number(a.rule.money));
    if (!best || best.covers === 0) return chosen;
    chosen.add(best.rule.id);
  }
}

function mostFrequent(rules: readonly RuleId[]): RuleId | undefined {
  const counts = [...Map.groupBy(rules, (rule) => rule)].map(([rule, all]) => ({ rule, count: all.length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.rule;
}
