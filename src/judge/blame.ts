import type { CallName } from '../contract/call-name.ts';
import { isRuleId, type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Blamed } from '../journal/event.ts';
import { EXPECTATION, type Finding } from '../journal/finding.ts';

/** On an endpoint that takes a wrong signature these prove nothing: whatever was sent would have been accepted. */
const LOWER_RUNGS: readonly RuleId[] = [
  'signature.missing',
  'signature.tampered-body',
  'signature.tampered-query',
  'signature.client-key',
  'signature.accepted',
  'signature.raw-body',
  'signature.raw-body-escapes',
  'signature.query-canonical',
  'signature.query-unicode',
  'signature.header-case',
];

/** A finding with other possible causes, kept until the run is over. */
interface Ambiguous {
  readonly scenario: string;
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  readonly causes: readonly RuleId[];
}

/**
 * What the findings of a whole run say about each other: a breach that was proven somewhere is the cheaper explanation of
 * what it would explain elsewhere too.
 */
export class Blame {
  readonly #proven = new Set<string>();
  readonly #letIn = new Set<CallName>();
  readonly #ambiguous: Ambiguous[] = [];
  /** Scenarios that ended with a sum that nothing in them explained. */
  readonly #unexplained = new Set<string>();

  /**
   * The findings of one scenario, of the attempt that counts.
   *
   * @param letIn the endpoints that carried out a call with a wrong signature
   */
  add(scenario: string, findings: readonly Finding[], letIn: readonly CallName[] = []): void {
    for (const endpoint of letIn) this.#letIn.add(endpoint);
    for (const { rule, verdict, endpoint, causes } of findings) {
      if (rule === EXPECTATION || (verdict !== 'fail' && verdict !== 'warn')) continue;
      if (causes.length > 0) {
        this.#ambiguous.push({ scenario, rule, endpoint, causes });
        continue;
      }
      if (verdict !== 'fail') continue;
      if (rule === 'money.conservation') this.#unexplained.add(scenario);
      else this.#proven.add(rule);
    }
  }

  isProven(rule: string): boolean {
    return this.#proven.has(rule);
  }

  /** The corrections that the whole of the run asks for. */
  conclude(): Blamed[] {
    return [...this.#explained(), ...this.#sums(), ...this.#rungs()];
  }

  /** A sum that is wrong is a matter of its own only when no breach that loses or invents money was shown. */
  *#sums(): Generator<Blamed> {
    const rule = 'money.conservation';
    const because = [...this.#proven].filter(isRuleId).find((proven) => ruleById(proven).money);
    if (because === undefined) return;
    for (const scenario of this.#unexplained) {
      yield {
        event: 'blamed',
        rule,
        endpoint: null,
        scenario,
        verdict: 'inconclusive',
        because,
        reason: `a sum was wrong, which the breach of \`${because}\` that this run has shown may explain`,
      };
    }
  }

  *#explained(): Generator<Blamed> {
    for (const { scenario, rule, endpoint, causes } of this.#ambiguous) {
      const because = causes.find((cause) => this.#proven.has(cause));
      if (because === undefined || this.#proven.has(rule)) continue;
      yield {
        event: 'blamed',
        rule,
        endpoint,
        scenario,
        verdict: 'inconclusive',
        because,
        reason: `the breach of \`${because}\` that this run has shown explains it: ${ruleById(because).sentence}`,
      };
    }
  }

  *#rungs(): Generator<Blamed> {
    if (!this.#proven.has('signature.mismatch')) return;
    for (const endpoint of this.#letIn) {
      for (const rung of LOWER_RUNGS) {
        const judged = ruleById(rung).endpoints;
        if (judged ? !judged.includes(endpoint) : !isOnlyAbout(rung, endpoint)) continue;
        yield {
          event: 'blamed',
          rule: rung,
          endpoint: judged ? endpoint : null,
          scenario: null,
          verdict: 'inconclusive',
          because: 'signature.mismatch',
          reason: `${endpoint === 'balance' ? 'GET' : 'POST'} /${endpoint} takes wrong signatures, so nothing is proven by what else it takes`,
        };
      }
    }
  }
}

/** Rules without a verdict by endpoint that are all about one. */
function isOnlyAbout(rule: RuleId, endpoint: CallName): boolean {
  return (
    endpoint === 'balance' &&
    ['signature.tampered-query', 'signature.query-canonical', 'signature.query-unicode'].includes(rule)
  );
}
