import type { CallName } from '../contract/call-name.ts';
import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Blamed, Tally } from '../journal/event.ts';
import { EXPECTATION, type Finding } from '../journal/finding.ts';
import { Lateness } from './lateness.ts';
import { OF_EVERY_CALL, SYSTEMATIC } from './unexplained.ts';

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
  readonly alone: boolean;
  readonly unaware: boolean;
  readonly scenario: string;
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  readonly causes: readonly RuleId[];
}

/** What else a scenario has shown. */
interface Shown {
  readonly passes?: Tally;
  /** Its reads did not wait for what shows late: that anything does was not known when it began. */
  readonly unaware?: boolean;
  /** Nobody else played at the time, neither in this story nor in another. */
  readonly alone?: boolean;
}

/**
 * What the findings of a whole run say about each other: a breach that was proven somewhere is the cheaper explanation of
 * what it would explain elsewhere too.
 */
export class Blame {
  readonly #failing = new Set<RuleId>();
  readonly #letIn = new Set<CallName>();
  readonly #breaches: Breach[] = [];
  readonly #passes = new Map<string, number>();
  readonly #lateness: Lateness;
  /** Reckoned when they are asked for. */
  #proven: ReadonlySet<string> | undefined;
  #alsoWarned: ReadonlySet<RuleId> | undefined;

  /** @param lateness what the run has seen of effects that show late */
  constructor(lateness: Lateness = new Lateness()) {
    this.#lateness = lateness;
  }

  /**
   * The findings of one scenario, of the attempt that counts.
   *
   * @param letIn the endpoints that carried out a call with a wrong signature
   */
  add(scenario: string, findings: readonly Finding[], letIn: readonly CallName[] = [], shown: Shown = {}): void {
    for (const endpoint of letIn) this.#letIn.add(endpoint);
    this.#proven = undefined;
    this.#alsoWarned = undefined;
    for (const [rule, counts] of Object.entries(shown.passes ?? {}))
      this.#passes.set(rule, (this.#passes.get(rule) ?? 0) + Object.values(counts).reduce((sum, one) => sum + one, 0));
    for (const { rule, verdict, endpoint, causes } of findings) {
      if (rule === EXPECTATION || (verdict !== 'fail' && verdict !== 'warn')) continue;
      if (verdict === 'fail') this.#failing.add(rule);
      if (this.#breaches.length < MOST_BREACHES)
        this.#breaches.push({
          scenario,
          rule,
          endpoint,
          causes,
          fails: verdict === 'fail',
          alone: shown.alone === true,
          unaware: shown.unaware === true,
        });
    }
  }

  /**
   * True when the rule is among the fewest whose breach explains all that was found: a breach that no other failing rule
   * explains, or of several that explain each other the one that explains most.
   */
  isProven(rule: string): boolean {
    this.#proven ??= this.#fewest();
    return this.#proven.has(rule);
  }

  /** The corrections that the whole of the run asks for. */
  conclude(): Blamed[] {
    return [...this.#explained(), ...this.#rungs()];
  }

  #fewest(): ReadonlySet<string> {
    const fails = this.#breaches.filter(({ fails }) => fails);
    const isOpen = (one: Breach): boolean => this.#causesOf(one).length > 0;
    const late = this.#lateRule;
    const proven = new Set<string>([
      ...(late ? [late] : []),
      ...fails.filter((one) => !isOpen(one)).map(({ rule }) => rule),
    ]);
    let rest = fails.filter(isOpen);
    for (;;) {
      rest = rest.filter((one) => !proven.has(one.rule) && !this.#causesOf(one).some((cause) => proven.has(cause)));
      const next = this.#mostCommon(rest);
      if (next === undefined) return proven;
      proven.add(next);
    }
  }

  /** SHOULDs that were found broken with nothing else that is broken to explain it: these explain other warnings. */
  get #warned(): ReadonlySet<RuleId> {
    this.#alsoWarned ??= new Set(this.#ofThemselves());
    return this.#alsoWarned;
  }

  #ofThemselves(): RuleId[] {
    const warnings = this.#breaches.filter(({ fails, rule }) => !fails && ruleById(rule).level === 'SHOULD');
    const broken = new Set<RuleId>([...this.#failing, ...warnings.map(({ rule }) => rule)]);
    return warnings.filter(({ causes }) => !causes.some((cause) => broken.has(cause))).map(({ rule }) => rule);
  }

  /** The rule that effects break which show late. */
  get #lateRule(): RuleId | undefined {
    const { rule, isSure } = this.#lateness;
    return isSure && rule && this.#failing.has(rule) ? rule : undefined;
  }

  /** What of all that fails would explain a breach. */
  #causesOf({ rule, causes, alone, unaware, fails }: Breach): RuleId[] {
    const failing = causes.filter(
      (cause) =>
        (this.#failing.has(cause) || (!fails && this.#warned.has(cause))) &&
        !this.#isIntermittent(cause) &&
        !(alone && cause === 'session.isolated'),
    );
    // Where effects show late, what was read before that was known proves nothing but that.
    const late = this.#lateRule;
    const isOfRead = rule === 'session.isolated' || causes.includes('session.isolated');
    return late && unaware && isOfRead && rule !== late ? [late, ...failing] : failing;
  }

  /** What is nearly always kept explains no other breach, for it would be broken there too. */
  #isIntermittent(rule: RuleId): boolean {
    const fails = this.#breaches.filter((one) => one.fails && one.rule === rule).length;
    const passes = this.#passes.get(rule) ?? 0;
    return rule === 'bet.exact-balance' ? passes > 0 : OF_EVERY_CALL.includes(rule) && passes > 4 * fails;
  }

  /** The rule that explains the most breaches; of equals the one that was found broken itself most often. */
  #mostCommon(breaches: readonly Breach[]): RuleId | undefined {
    const votes = new Map<RuleId, number>();
    const vote = (rule: RuleId, weight: number): void => void votes.set(rule, (votes.get(rule) ?? 0) + weight);
    for (const one of breaches) {
      vote(one.rule, 1.01);
      // What may spoil any number predicts none, so that it would explain everything is no evidence for it.
      if (one.rule === 'money.conservation') continue;
      for (const cause of this.#causesOf(one))
        if (!SYSTEMATIC.includes(cause) && cause !== 'money.conservation') vote(cause, 1);
    }
    return [...votes].sort(([, a], [, b]) => b - a)[0]?.[0];
  }

  *#explained(): Generator<Blamed> {
    for (const one of this.#breaches) {
      const { scenario, rule, endpoint } = one;
      const because = this.isProven(rule)
        ? undefined
        : this.#causesOf(one).find((cause) => this.isProven(cause) || this.#warned.has(cause));
      if (because === undefined) continue;
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
