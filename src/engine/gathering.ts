import type { CallName } from '../contract/call-name.ts';
import { isRuleId, type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Tally } from '../journal/event.ts';
import type { Finding } from '../journal/finding.ts';
import type { Halt } from './halt.ts';

/**
 * What was found out in a scenario, over all tellings of its story. What could not be decided in one telling is held back,
 * and counts only when no other has decided it; what shows in each is reported once.
 */
export class Gathering {
  readonly #report: (finding: Finding) => void;
  readonly #findings: Finding[] = [];
  /** What the present telling has said, and those before it. */
  #saidNow: string[] = [];
  readonly #said = new Set<string>();
  /** What the present telling left undecided, and those before it. */
  #openNow: Finding[] = [];
  readonly #open: Finding[] = [];
  /** Rules that a telling has judged without leaving anything of them undecided. */
  readonly #settled = new Set<string>();
  /** Rules that a telling claims and has found something out about. */
  readonly #decided = new Set<RuleId>();
  readonly #passes: Partial<Record<RuleId, Partial<Record<CallName | '*', number>>>> = {};

  constructor(report: (finding: Finding) => void) {
    this.#report = report;
  }

  /** Those that count so far. */
  get findings(): readonly Finding[] {
    return this.#findings;
  }

  get passes(): Tally {
    return this.#passes;
  }

  /** True when something was found out about a rule that the scenario claims, a skip apart. */
  hasDecided(rule: RuleId): boolean {
    return this.#decided.has(rule);
  }

  add(finding: Finding): void {
    switch (finding.verdict) {
      case 'inconclusive':
      case 'skip':
        this.#openNow.push(finding);
        return;
      case 'fail':
      case 'warn':
      case 'note':
      case 'pass':
        this.#say(finding);
        return;
    }
  }

  /**
   * One telling is over.
   *
   * @param passes what held in it
   * @param decided rules that the scenario claims and about which it found something out
   */
  endRound(passes: Tally, decided: readonly RuleId[]): void {
    const open = new Set(this.#openNow.map(({ rule }) => rule));
    for (const [rule, counts] of Object.entries(passes)) {
      if (!isRuleId(rule)) continue;
      if (!open.has(rule)) this.#settled.add(rule);
      this.#count(rule, counts);
    }
    for (const rule of decided) this.#decided.add(rule);
    this.#open.push(...this.#openNow.splice(0));
    this.#endSaying();
  }

  /**
   * No telling follows: says what none of them has decided.
   *
   * @param claims the rules that the scenario is about
   * @param missed what was seen of a race in which too little overlapped
   */
  close(claims: readonly RuleId[], halt: Halt | null, missed: string | null): void {
    for (const finding of this.#open.splice(0)) {
      if (this.#settled.has(finding.rule)) continue;
      this.#say(finding);
      this.#endSaying();
    }
    for (const rule of claims) {
      const broken = this.#findings.some((finding) => finding.rule === rule && finding.verdict === 'fail');
      if (halt && !this.#decided.has(rule)) this.#leave(rule, halt.verdict, halt.reason, halt.causes);
      else if (missed !== null && !broken && (isOfRaces(rule) || !this.#decided.has(rule)))
        this.#leave(rule, 'inconclusive', missed);
      else if (!this.#decided.has(rule)) this.#leave(rule, 'skip', 'nothing happened that the rule could be judged by');
    }
  }

  /** A claim that came to nothing. */
  #leave(rule: RuleId, verdict: 'skip' | 'inconclusive', actual: string, causes: readonly RuleId[] = []): void {
    const { sentence: expected } = ruleById(rule);
    this.#say({ rule, verdict, endpoint: null, step: null, place: null, exchange: null, expected, actual, causes });
  }

  #say(finding: Finding): void {
    const { rule, verdict, endpoint, step } = finding;
    const key = [rule, verdict, endpoint, step].join(' ');
    if (this.#said.has(key)) return;
    this.#saidNow.push(key);
    this.#findings.push(finding);
    this.#report(finding);
  }

  #endSaying(): void {
    for (const key of this.#saidNow.splice(0)) this.#said.add(key);
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

/** Judged by nothing but calls at once. */
function isOfRaces(rule: RuleId): boolean {
  return rule === 'idempotency.concurrent' || ruleById(rule).group === 'concurrency';
}
