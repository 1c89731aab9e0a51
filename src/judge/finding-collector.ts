import type { CallName } from '../contract/call-name.ts';
import { isRuleId, type RuleId, ruleById } from '../contract/catalogue.ts';
import { type ContractVersion, isThere } from '../contract/versions.ts';
import type { FoundSum, Tally } from '../journal/event.ts';
import { EXPECTATION, type Finding } from '../journal/finding.ts';
import type { WrongSum } from '../journal/money-sums.ts';
import type { CallStep } from '../scenario/plan/plan.ts';
import { type Breach, type Decision, SHOWN_BY_PROBE } from './decision.ts';
import { isProbe } from './planned-calls.ts';

/** The rule, the step and the exchange that a decision is about. */
export interface FindingSubject {
  readonly rule: RuleId;
  readonly step: CallStep;
  readonly exchange: string | null;
}

interface FindingCollectorOptions {
  readonly strict: boolean;
  readonly contract: ContractVersion;
  readonly amountsVary: boolean;
}

/** Collects the decisions of one scenario. Reports each finding at once, and counts the passes. */
export class FindingCollector {
  readonly #strict: boolean;
  readonly #contract: ContractVersion;
  readonly #amountsVary: boolean;
  readonly #report: (finding: Finding) => void;
  readonly #reportSum: (found: FoundSum) => void;
  readonly #passes: Partial<Record<RuleId, Partial<Record<CallName | '*', number>>>> = {};
  readonly #broken = new Set<string>();
  readonly #decided = new Set<string>();
  readonly #moved = new Set<RuleId>();
  readonly #lackingMoney = new Set<RuleId>();
  /**
   * The steps that the operator may have answered with the stored reply to another call, by their keys, and the rules whose breach
   * then explains the breaches of these steps.
   */
  readonly #repliesToOthers = new Map<string, readonly RuleId[]>();
  #hasBreach = false;
  #afterProbe = false;

  /**
   * @param options `contract` is the version of the contract that the operator follows; rules of later versions are not judged. If
   * `amountsVary` is true, the amounts of the scenario depend on the balance
   */
  constructor(
    { strict, contract, amountsVary }: FindingCollectorOptions,
    report: (finding: Finding) => void,
    reportSum: (found: FoundSum) => void = () => {},
  ) {
    this.#strict = strict;
    this.#contract = contract;
    this.#amountsVary = amountsVary;
    this.#report = report;
    this.#reportSum = reportSum;
  }

  /** Returns true if the rule was broken in this scenario, and no other broken rule explains the breach. */
  isBroken(rule: string): boolean {
    return this.#broken.has(rule);
  }

  /** Returns true if this scenario has decided the rule. A skip is no decision. */
  hasDecided(rule: RuleId): boolean {
    return this.#decided.has(rule);
  }

  /** True when at least one finding fails the scenario. */
  get hasBreach(): boolean {
    return this.#hasBreach;
  }

  /** The rules whose breach made a balance wrong. */
  get moved(): ReadonlySet<RuleId> {
    return this.#moved;
  }

  /** The rules whose breach took money from the player that did not arrive late either. */
  get lackingMoney(): ReadonlySet<RuleId> {
    return this.#lackingMoney;
  }

  get passes(): Tally {
    return this.#passes;
  }

  /**
   * Records that the operator may have carried out a call that the service never sends. Later balances may include the
   * effect of this call.
   */
  noteProbe(): void {
    this.#afterProbe = true;
  }

  /**
   * Records that the operator may have taken this step for another call, and answered it with the stored reply to that call. Then it
   * carried out nothing. A wallet that does this to bets breaks one of the given rules, which then explains the breaches of all such
   * steps.
   */
  noteReplyToAnother(key: string, causes: readonly RuleId[]): void {
    this.#repliesToOthers.set(key, [...(this.#repliesToOthers.get(key) ?? []), ...causes]);
  }

  decide(subject: FindingSubject, given: Decision): void {
    const { rule, step } = subject;
    const decision = this.#withMistakenCall(subject, this.#unlessProbe(subject, given));
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
        if (decision.lacksMoney) this.#lackingMoney.add(rule);
        if (!(decision.causes ?? []).some((cause) => this.#broken.has(cause))) this.#broken.add(rule);
        const verdict =
          level === 'MUST' || (level === 'SHOULD' && this.#strict) ? 'fail' : level === 'SHOULD' ? 'warn' : 'note';
        this.#find(subject, endpoint, verdict, decision.expected, decision.actual, decision.causes ?? [], {
          ...(decision.noMoney && ruleById(rule).money && { noMoney: true }),
          ...this.#sumOf(decision),
          ...(decision.wrongReply && { wrongReply: true }),
          ...(decision.repliedSum && { repliedSum: this.#marked(decision.repliedSum) }),
          ...(decision.shownByReplies && { shownByReplies: true }),
          ...(decision.staleRead && { staleRead: true }),
        });
        return;
      }
      case 'warn':
        this.#find(subject, endpoint, 'warn', decision.expected, decision.actual, decision.causes ?? [], {
          ...(ruleById(rule).level === 'MUST' && { why: decision.why }),
          ...(decision.noMoney && ruleById(rule).money && { noMoney: true }),
        });
        return;
      case 'note':
        this.#find(subject, endpoint, 'note', ruleById(rule).sentence, decision.actual, []);
        return;
      case 'skip':
        this.#find(subject, endpoint, 'skip', ruleById(rule).sentence, decision.reason, [], {
          ...(decision.declined && { declined: true }),
        });
        return;
      case 'undecided':
        this.#find(subject, endpoint, 'inconclusive', ruleById(rule).sentence, decision.reason, decision.causes ?? []);
        return;
    }
  }

  /** Adds the wrong sum to a breach that was reported earlier, before a balance showed this sum. */
  addSum({ rule, step }: Pick<FindingSubject, 'rule' | 'step'>, wrongSum: WrongSum): void {
    this.#moved.add(rule);
    this.#reportSum({ rule, endpoint: endpointOf(rule, step.call), step: step.key, wrongSum: this.#marked(wrongSum) });
  }

  #sumOf({ wrongSum }: Breach): Pick<Finding, 'wrongSum'> {
    return wrongSum ? { wrongSum: this.#marked(wrongSum) } : {};
  }

  #marked(wrongSum: WrongSum): WrongSum {
    return this.#amountsVary ? { ...wrongSum, varies: true } : wrongSum;
  }

  /**
   * If only a call that the service never sends has shown the breach of a MUST rule, turns this breach into a warning. A rule about
   * signatures keeps its level, because only such calls can test it.
   */
  #unlessProbe({ rule, step }: FindingSubject, decision: Decision): Decision {
    if (decision.kind !== 'breach' || ruleById(rule).level !== 'MUST' || rule.startsWith('signature.')) return decision;
    if (!this.#afterProbe && !isProbe(step)) return decision;
    const { expected, actual, causes = [] } = decision;
    return { kind: 'warn', expected, actual, why: SHOWN_BY_PROBE, causes };
  }

  /** True after a call that the service never sends: a breach of a MUST rule is then only a warning. */
  get isAfterProbe(): boolean {
    return this.#afterProbe;
  }

  /** Adds the rules that explain the breach if the operator has taken the step for another call. */
  #withMistakenCall({ rule, step }: FindingSubject, decision: Decision): Decision {
    // Two calls with one operator txID show the reader what has happened, so this finding stays.
    const causes = this.#repliesToOthers.get(step.key);
    if (rule === 'reply.tx-id-distinct' || !causes) return decision;
    if (decision.kind !== 'breach' && decision.kind !== 'warn') return decision;
    return { ...decision, causes: [...new Set([...(decision.causes ?? []), ...causes])] };
  }

  /** Reports that a reply does not meet an expectation of the scenario file. The finding belongs to no rule. */
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
    subject: FindingSubject,
    endpoint: CallName | null,
    verdict: Finding['verdict'],
    expected: string,
    actual: string,
    causes: readonly RuleId[],
    more: Pick<
      Finding,
      'declined' | 'noMoney' | 'wrongSum' | 'wrongReply' | 'repliedSum' | 'shownByReplies' | 'staleRead' | 'why'
    > = {},
  ): void {
    const { rule, step, exchange } = subject;
    if (verdict === 'fail') this.#hasBreach = true;
    if (more.wrongSum) this.#moved.add(rule);
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
      ...more,
    });
  }
}

/** Returns the endpoint that a decision counts for. null if the rule has one verdict for all endpoints. */
export function endpointOf(rule: RuleId, call: CallName): CallName | null {
  return ruleById(rule).endpoints?.includes(call) ? call : null;
}
