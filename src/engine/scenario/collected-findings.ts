import type { CallName } from '../../contract/call-name.ts';
import { isRuleId, type RuleId, ruleById } from '../../contract/catalogue.ts';
import type { Tally } from '../../journal/event.ts';
import { EXPECTATION, type Finding, graver, type Verdict } from '../../journal/finding.ts';
import { NOT_SHOWN } from '../../journal/scenario-result.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import type { StopReason } from '../scenario-context.ts';

/**
 * Collects the findings of a scenario over all its repetitions. If several repetitions make the same finding, it is reported once.
 * A finding that leaves its rule undecided is reported at the end, and only if no repetition decided the rule.
 */
export class CollectedFindings {
  readonly #report: (finding: Finding) => void;
  readonly #findings: Finding[] = [];
  /** Keys of the findings that the current repetition has reported. */
  #reportedNow: string[] = [];
  readonly #reported = new Set<string>();
  /** Findings of the current repetition that leave their rule undecided. */
  #undecidedNow: Finding[] = [];
  readonly #undecided: Finding[] = [];
  /** Rules that a repetition has judged without any finding that leaves them undecided. */
  readonly #settledRules = new Set<string>();
  /** Rules of the scenario that a repetition has decided. */
  readonly #decided = new Set<RuleId>();
  readonly #passes: Partial<Record<RuleId, Partial<Record<CallName | '*', number>>>> = {};

  constructor(report: (finding: Finding) => void) {
    this.#report = report;
  }

  /** The findings that count so far. */
  get findings(): readonly Finding[] {
    return this.#findings;
  }

  get passes(): Tally {
    return this.#passes;
  }

  /** True if a rule of the scenario was decided. A skip does not count as a decision. */
  hasDecided(rule: RuleId): boolean {
    return this.#decided.has(rule);
  }

  add(finding: Finding): void {
    switch (finding.verdict) {
      case 'inconclusive':
      case 'skip':
        this.#undecidedNow.push(finding);
        return;
      case 'fail':
      case 'warn':
      case 'note':
      case 'pass':
        this.#addDecided(finding);
        return;
    }
  }

  /**
   * Ends a repetition.
   *
   * @param passes the number of passed tests of each rule in this repetition
   * @param decided the rules of the scenario that this repetition decided
   */
  endRepetition(passes: Tally, decided: readonly RuleId[]): void {
    const open = new Set(this.#undecidedNow.map(({ rule }) => rule));
    for (const [rule, counts] of Object.entries(passes)) {
      if (!isRuleId(rule)) continue;
      if (!open.has(rule)) this.#settledRules.add(rule);
      this.#count(rule, counts);
    }
    for (const rule of decided) this.#decided.add(rule);
    this.#undecided.push(...this.#undecidedNow.splice(0));
    this.#endReporting();
  }

  /**
   * Ends the last repetition. Reports the rules that no repetition has decided.
   *
   * @param claims the rules that the scenario tests
   * @param stopReason the reason why the scenario stopped early; null if it did not
   * @param missed a message about a race in which too few calls overlapped; null if there was none
   */
  close(claims: readonly RuleId[], stopReason: StopReason | null, missed: string | null): void {
    for (const finding of this.#undecided.splice(0)) {
      if (this.#settledRules.has(finding.rule)) continue;
      this.#addDecided(finding);
      this.#endReporting();
    }
    for (const rule of claims) {
      const broken = this.#findings.some((finding) => finding.rule === rule && finding.verdict === 'fail');
      if (stopReason && !this.#decided.has(rule))
        this.#addUndecided(rule, stopReason.verdict, stopReason.reason, stopReason);
      else if (missed !== null && !broken && (isOfRaces(rule) || !this.#decided.has(rule)))
        this.#addUndecided(rule, 'inconclusive', missed);
      else if (!this.#decided.has(rule)) this.#addUndecided(rule, 'skip', NOT_SHOWN);
    }
  }

  /** Reports that a rule of the scenario was not decided. */
  #addUndecided(
    rule: RuleId,
    verdict: 'skip' | 'inconclusive',
    actual: string,
    { causes = [], declined }: Partial<Pick<StopReason, 'causes' | 'declined'>> = {},
  ): void {
    const { sentence: expected } = ruleById(rule);
    this.#addDecided({
      rule,
      verdict,
      endpoint: null,
      step: null,
      place: null,
      exchange: null,
      expected,
      actual,
      causes,
      ...(declined && { declined }),
    });
  }

  #addDecided(finding: Finding): void {
    const { rule, verdict, endpoint, step } = finding;
    const key = [rule, verdict, endpoint, step].join(' ');
    if (this.#reported.has(key)) return;
    this.#reportedNow.push(key);
    this.#findings.push(finding);
    this.#report(finding);
  }

  #endReporting(): void {
    for (const key of this.#reportedNow.splice(0)) this.#reported.add(key);
  }

  #count(rule: RuleId, counts: Readonly<Partial<Record<CallName | '*', number>>>): void {
    const sums = this.#passes[rule] ?? {};
    this.#passes[rule] = sums;
    for (const [endpoint, count] of Object.entries(counts)) {
      const at = endpoint as CallName | '*';
      sums[at] = (sums[at] ?? 0) + count;
    }
  }
}

/** True for a rule that can be tested only with calls that are sent at the same time. */
function isOfRaces(rule: RuleId): boolean {
  return rule === 'idempotency.concurrent' || ruleById(rule).group === 'concurrency';
}

/**
 * Returns the verdict of a scenario, after all its findings are collected.
 *
 * @param missed a message about a race in which too few calls overlapped; null if there was none
 */
export function verdictOf(
  { rules }: Plan,
  collected: CollectedFindings,
  stopReason: StopReason | null,
  missed: string | null,
): { readonly verdict: Verdict; readonly reason: string | null } {
  if (stopReason?.verdict === 'skip') return { verdict: 'skip', reason: stopReason.reason };
  const { findings, passes } = collected;
  const claims = new Set<string>([...rules, EXPECTATION]);
  const start: Verdict = Object.keys(passes).length > 0 ? 'pass' : 'skip';
  // If one rule was skipped and another rule was decided, the scenario does not count as skipped.
  const gravest = findings
    .filter(({ verdict, rule }) => verdict !== 'skip' && (claims.has(rule) || verdict === 'fail'))
    .reduce<Verdict>((worst, { verdict }) => graver(worst, verdict), start);
  const skipped = findings.find(({ verdict, rule }) => verdict === 'skip' && claims.has(rule));
  if (stopReason) return { verdict: graver(gravest, 'inconclusive'), reason: stopReason.reason };
  if (missed !== null) return { verdict: graver(gravest, 'inconclusive'), reason: missed };
  const decided = rules.length === 0 || rules.some((rule) => collected.hasDecided(rule));
  if (!decided && gravest === 'pass') return { verdict: 'skip', reason: skipped?.actual ?? null };
  return { verdict: gravest, reason: null };
}
