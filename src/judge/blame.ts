import type { CallName } from '../contract/call-name.ts';
import { type RuleId, ruleById } from '../contract/catalogue.ts';
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

/** More breaches than this are not weighed against each other. */
const MOST_BREACHES = 5000;

/** A finding that is kept until the run is over, for others may explain it. */
interface Breach {
  readonly fails: boolean;
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
  readonly #failing = new Set<RuleId>();
  readonly #letIn = new Set<CallName>();
  readonly #breaches: Breach[] = [];

  /**
   * The findings of one scenario, of the attempt that counts.
   *
   * @param letIn the endpoints that carried out a call with a wrong signature
   */
  add(scenario: string, findings: readonly Finding[], letIn: readonly CallName[] = []): void {
    for (const endpoint of letIn) this.#letIn.add(endpoint);
    for (const { rule, verdict, endpoint, causes } of findings) {
      if (rule === EXPECTATION || (verdict !== 'fail' && verdict !== 'warn')) continue;
      if (verdict === 'fail') this.#failing.add(rule);
      if (this.#breaches.length < MOST_BREACHES)
        this.#breaches.push({ scenario, rule, endpoint, causes, fails: verdict === 'fail' });
    }
  }

  /** True when a breach of the rule was found that no other failing rule explains. */
  isProven(rule: string): boolean {
    return this.#breaches.some(
      (one) => one.rule === rule && one.fails && !one.causes.some((cause) => this.#failing.has(cause)),
    );
  }

  /** The corrections that the whole of the run asks for. */
  conclude(): Blamed[] {
    return [...this.#explained(), ...this.#rungs()];
  }

  *#explained(): Generator<Blamed> {
    const proven = new Set([...this.#failing].filter((rule) => this.isProven(rule)));
    for (const { scenario, rule, endpoint, causes } of this.#breaches) {
      const because = causes.find((cause) => proven.has(cause));
      if (because === undefined || proven.has(rule)) continue;
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
    if (!this.#failing.has('signature.mismatch')) return;
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
