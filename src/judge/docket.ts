import type { CallName } from '../contract/call-name.ts';
import { isRuleId, type RuleId, ruleById } from '../contract/catalogue.ts';
import { isThere } from '../contract/since.ts';
import type { ContractVersion } from '../contract/versions.ts';
import type { Tally } from '../journal/event.ts';
import { EXPECTATION, type Finding } from '../journal/finding.ts';
import type { CallStep } from '../scenario/plan.ts';
import type { Decision } from './check.ts';

/** What a decision is about. */
export interface Matter {
  readonly rule: RuleId;
  readonly step: CallStep;
  readonly exchange: string | null;
}

/** Collects what is decided in one scenario: findings one by one, passes as a count. */
export class Docket {
  readonly #strict: boolean;
  readonly #contract: ContractVersion;
  readonly #report: (finding: Finding) => void;
  readonly #passes: Partial<Record<RuleId, Partial<Record<CallName | '*', number>>>> = {};
  readonly #broken = new Set<string>();
  readonly #decided = new Set<string>();
  #hasBreach = false;

  /** @param contract rules that came with later versions of it decide nothing */
  constructor(strict: boolean, contract: ContractVersion, report: (finding: Finding) => void) {
    this.#strict = strict;
    this.#contract = contract;
    this.#report = report;
  }

  /** True when the rule was found broken in this scenario, with nothing else to explain it. */
  isBroken(rule: string): boolean {
    return this.#broken.has(rule);
  }

  /** True when something was decided about the rule, a skip apart. */
  hasDecided(rule: RuleId): boolean {
    return this.#decided.has(rule);
  }

  /** True when anything was found that fails the scenario. */
  get hasBreach(): boolean {
    return this.#hasBreach;
  }

  get passes(): Tally {
    return this.#passes;
  }

  decide(matter: Matter, decision: Decision): void {
    const { rule, step } = matter;
    if (!isThere(ruleById(rule).since, this.#contract)) return;
    const endpoint = endpointOf(rule, step.call);
    if (decision.kind !== 'skip') this.#decided.add(rule);
    switch (decision.kind) {
      case 'pass': {
        const name = endpoint ?? '*';
        const counts = this.#passes[rule] ?? {};
        this.#passes[rule] = counts;
        counts[name] = (counts[name] ?? 0) + 1;
        return;
      }
      case 'breach': {
        const { level } = ruleById(rule);
        if (!(decision.causes ?? []).some((cause) => this.#broken.has(cause))) this.#broken.add(rule);
        const verdict =
          level === 'MUST' || (level === 'SHOULD' && this.#strict) ? 'fail' : level === 'SHOULD' ? 'warn' : 'note';
        this.#find(matter, endpoint, verdict, decision.expected, decision.actual, decision.causes ?? []);
        return;
      }
      case 'warn':
        this.#find(matter, endpoint, 'warn', decision.expected, decision.actual, []);
        return;
      case 'note':
        this.#find(matter, endpoint, 'note', ruleById(rule).sentence, decision.actual, []);
        return;
      case 'skip':
        this.#find(matter, endpoint, 'skip', ruleById(rule).sentence, decision.reason, []);
        return;
      case 'undecided':
        this.#find(matter, endpoint, 'inconclusive', ruleById(rule).sentence, decision.reason, []);
        return;
    }
  }

  /** What the scenario itself demands beyond the rules, and did not get. */
  unmet(step: CallStep, exchange: string, expected: string, actual: string): void {
    this.#hasBreach = true;
    this.#report({
      rule: EXPECTATION,
      verdict: 'fail',
      endpoint: null,
      step: step.key,
      place: step.place,
      exchange,
      expected,
      actual,
      causes: [],
    });
  }

  #find(
    matter: Matter,
    endpoint: CallName | null,
    verdict: Finding['verdict'],
    expected: string,
    actual: string,
    causes: readonly RuleId[],
  ): void {
    const { rule, step, exchange } = matter;
    if (verdict === 'fail') this.#hasBreach = true;
    this.#report({
      rule,
      verdict,
      endpoint,
      step: step.key,
      place: step.place,
      exchange,
      expected,
      actual,
      causes: causes.filter((cause) => cause !== rule && isRuleId(cause)),
    });
  }
}

/** The endpoint under which a decision counts, for rules that are judged for each. */
export function endpointOf(rule: RuleId, call: CallName): CallName | null {
  return ruleById(rule).endpoints?.includes(call) ? call : null;
}
