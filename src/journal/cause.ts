import type { RuleId } from '../contract/catalogue.ts';
import { EXPECTATION, type Verdict } from './finding.ts';
import { byGravity, countOf, isFinding, type JudgedCell, type JudgedFinding } from './judged-cell.ts';
import type { RuleResult } from './rule-result.ts';

/** Another rule whose findings a cause explains, with the verdict that is left of it. */
interface Explained {
  readonly rule: RuleId;
  readonly verdict: Verdict;
}

/** A broken rule that has to be taken for broken, and what need not be once it is. */
export interface Cause {
  readonly result: RuleResult;
  /** Gravest first, then in the order of the catalogue. */
  readonly explains: readonly Explained[];
  /** How many findings it accounts for: those of its own, and those of the rules that it explains. */
  readonly findings: number;
  /** Scenarios in which the rule itself was seen broken, the most telling first. */
  readonly scenarios: readonly string[];
  /** The finding to look at first. */
  readonly telling: JudgedFinding | null;
}

/**
 * A small set of broken rules that explains every breach of the run, and all that could not be decided because of one: those about
 * money first, then those that account for most. What scenarios expect beyond the rules is nobody's consequence and is left out.
 *
 * @param rules every rule's result
 * @param cells all that was said, with the explanations of the run taken in
 */
export function likelyCauses(rules: readonly RuleResult[], cells: readonly JudgedCell[]): readonly Cause[] {
  const broken = rules.filter(({ verdict }) => verdict === 'fail');
  const breaches = cells
    .filter(({ verdict, rule }) => verdict === 'fail' && rule !== EXPECTATION)
    .map((cell) => ({ rule: cell.rule, suspects: suspectsOf(cell, broken) }));
  const chosen = fewest(
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
    cells.filter(({ rule }) => !chosen.has(rule)),
    ({ because, verdict, rule }) => standsFor.get(because ?? (verdict === 'fail' ? rule : '')),
  );
  return broken
    .filter(({ rule }) => chosen.has(rule.id))
    .map((result) => causeOf(result, explained.get(result.rule.id) ?? [], rules))
    .filter((cause) => isNews(cause, rules))
    .toSorted(
      (a, b) =>
        Number(b.result.rule.money) - Number(a.result.rule.money) ||
        b.findings - a.findings ||
        b.explains.length - a.explains.length,
    );
}

/** What fails as a baseline says needs no explanation; it may be one. */
function isNews({ result, explains }: Cause, rules: readonly RuleResult[]): boolean {
  const isNewFailure = ({ rule }: Explained): boolean =>
    rules.some((other) => other.rule.id === rule && other.verdict === 'fail' && !other.isKnown);
  return !result.isKnown || explains.some(isNewFailure);
}

function causeOf(result: RuleResult, explained: readonly JudgedCell[], rules: readonly RuleResult[]): Cause {
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
    telling: own[0] ?? null,
  };
}

/** The broken rules that each explain the whole of a breach: the rule itself, and what all of its findings name. */
function suspectsOf(cell: JudgedCell, broken: readonly RuleResult[]): ReadonlySet<RuleId> {
  const named = broken.filter(
    ({ rule }) => rule.id === cell.rule || cell.findings.every(({ causes }) => causes.includes(rule.id)),
  );
  return new Set(named.map(({ rule }) => rule.id));
}

/**
 * A set cover: first the rules that nothing else explains, then always the one that explains most of what is left, of equals the
 * one about money, then the first of the catalogue.
 */
function fewest(broken: readonly RuleResult[], suspects: readonly ReadonlySet<RuleId>[]): ReadonlySet<string> {
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
