import type { RuleId } from '../../src/contract/catalogue.ts';
import { currencyByCode } from '../../src/contract/currencies.ts';
import type { JsonObject, JsonValue } from '../../src/contract/json.ts';
import { Money } from '../../src/contract/money.ts';
import type { Body, Exchange, Outcome } from '../../src/journal/exchange.ts';
import { type Finding, graver, type Verdict } from '../../src/journal/finding.ts';
import { Attribution } from '../../src/judge/attribution/attribution.ts';
import { RightUnit } from '../../src/judge/attribution/units.ts';
import { Judge, type Reaction } from '../../src/judge/judge.ts';
import type { SentCall } from '../../src/judge/observed-call.ts';
import { PlannedCalls } from '../../src/judge/planned-calls.ts';
import { BalancesOfOthers } from '../../src/judge/reads/balances-of-others.ts';
import { GivenTxIDs } from '../../src/judge/reads/given-tx-ids.ts';
import { StaleReadHistory } from '../../src/judge/reads/stale-reads.ts';
import { Wallet } from '../../src/judge/wallet/wallet.ts';
import { lenientMoney, type ReplyReading, readReply } from '../../src/reply/read.ts';
import { evaluate, evaluateMoney, type Scope, type Value } from '../../src/scenario/expressions/evaluate.ts';
import type { Template } from '../../src/scenario/expressions/expression.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import type { CallStep, Plan, Step } from '../../src/scenario/plan/plan.ts';
import { planScenario } from '../../src/scenario/plan/planner.ts';
import { type Fault, type ToyOutcome, type ToyReply, type ToyRequest, ToyWallet } from './toy-wallet.ts';

let ids = 0;

/** Returns an id that is unique in this process. */
export function uuid(): string {
  ids += 1;
  return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
}

/** Returns the plan of a scenario that is given without its title. */
export function planOf(yaml: string): Plan {
  const { scenario, diagnostics } = loadScenario(`title: A scenario\n${yaml}`, 'scenario.yaml', {
    id: 'scenario',
    readFragment: () => undefined,
  });
  if (!scenario) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return planScenario(scenario, scenario.boundScenarios[0]?.caseId, { uuid });
}

export interface JudgeOptions {
  readonly fault?: Fault;
  readonly balance?: string;
  readonly currency?: string;
  readonly strict?: boolean;
  readonly campaignKnown?: boolean;
  readonly hasCredit?: boolean;
  /** Rules that are proven to be broken by other scenarios. */
  readonly proven?: readonly RuleId[];
  /** True: it is not the first attempt, and the earlier ones showed the same. */
  readonly seenBefore?: boolean;
  /** False: calls that are sent at once do not overlap. */
  readonly overlap?: boolean;
  /** The stale reads that other scenarios of the run have seen. */
  readonly staleReads?: StaleReadHistory;
}

/** The result of judging a scenario. */
export interface Judged {
  readonly findings: readonly Finding[];
  readonly judge: Judge;
  readonly stop: Reaction['stop'];
  readonly overlapped: number | undefined;
  /** Returns the worst verdict on a rule; `untested` if there is none. */
  verdict(rule: string): Verdict;
  /** The rules that failed and that no other breach of the scenario explains. */
  readonly broken: readonly string[];
}

/** Plays a scenario with the toy wallet, which is correct except for the fault, and judges it. */
export function judgeScenario(yaml: string, options: JudgeOptions = {}): Judged {
  return new ScenarioPlayer(
    planOf(`rules: [balance.read]\n${yaml}`.replace(/^rules: .*\n(?=(.*\n)*rules: )/, '')),
    options,
  ).run();
}

const STAKE = Money.of('1.00');
const UNIT = Money.of('0.01');

class ScenarioPlayer {
  readonly #plan: Plan;
  readonly #options: JudgeOptions;
  readonly #judge: Judge;
  readonly #findings: Finding[] = [];
  readonly #wallets = new Map<string, Wallet>();
  readonly #byAlias = new Map<string, Wallet>();
  readonly #toy: ToyWallet;
  readonly #fields = new Map<string, JsonObject | null>();
  readonly #named = new Map<string, CallStep>();
  readonly #amounts = new Map<string, Money>();
  readonly #past = new Map<string, { reply: ReplyReading; effect: Money; answered: ToyReply }>();
  #clock = 0;
  #number = 0;
  #risky = false;
  #overlapped: number | undefined;

  constructor(plan: Plan, options: JudgeOptions) {
    this.#plan = plan;
    this.#options = options;
    const players = new Map([['main', 'p1']]);
    for (const [alias, need] of plan.needs.sessions) players.set(alias, need.player === 'other' ? 'p2' : 'p1');
    for (const [alias, player] of players) {
      const wallet = this.#wallets.get(player) ?? new Wallet(player, UNIT);
      this.#wallets.set(player, wallet);
      this.#byAlias.set(alias, wallet);
    }
    this.#toy = new ToyWallet({
      balance: options.balance ?? '100.00',
      players,
      expired: plan.needs.state === 'expired',
    });
    this.#judge = new Judge(new PlannedCalls(plan), {
      demanding: true,
      isLasting: () => true,
      failsAtRandom: () => false,
      seenBefore: () => options.seenBefore ?? false,
      strict: options.strict ?? false,
      deadlineMs: 5000,
      campaignKnown: options.campaignKnown ?? true,
      hasCredit: options.hasCredit,
      walletOf: (alias) => this.#byAlias.get(alias) ?? null,
      wallets: [...this.#wallets.values()],
      currencyOf: () => currencyByCode(options.currency ?? 'USD'),
      stakeOf: () => Money.of('1'),
      staleReads: options.staleReads ?? new StaleReadHistory(),
      rightUnit: new RightUnit(),
      balancesOfOthers: new BalancesOfOthers(),
      givenTxIDs: new GivenTxIDs(),
      proven: (rule) => (options.proven ?? []).some((one) => one === rule),
      report: (finding) => this.#findings.push(finding),
    });
    for (const step of plan.steps) {
      for (const call of step.kind === 'together' ? step.steps : step.kind === 'call' ? [step] : []) {
        if (call.name !== undefined && !this.#named.has(call.name)) this.#named.set(call.name, call);
      }
    }
  }

  run(): Judged {
    let stop: Reaction['stop'] = null;
    for (const alias of this.#distinctAliases()) stop ??= this.#read(alias);
    for (const step of this.#plan.steps) stop ??= this.#step(step);
    if ([...this.#wallets.values()].some(({ pendingChecks }) => pendingChecks.some(({ until }) => until === 'linger')))
      this.#linger();
    for (const alias of this.#distinctAliases()) {
      const wallet = this.#byAlias.get(alias);
      const open =
        wallet &&
        (wallet.moves.length > 0 ||
          wallet.branches.length > 0 ||
          wallet.openSince !== null ||
          wallet.pendingChecks.some(({ reported }) => !reported));
      if (open && wallet.known) this.#read(alias);
    }
    this.#judge.close();
    const { passes } = this.#judge;
    return {
      findings: this.#findings,
      judge: this.#judge,
      stop,
      overlapped: this.#overlapped,
      broken: brokenRules(this.#findings),
      verdict: (rule) =>
        this.#findings
          .filter((finding) => finding.rule === rule)
          .reduce<Verdict>(
            (worst, { verdict }) => graver(worst, verdict),
            Object.hasOwn(passes, rule) ? 'pass' : 'untested',
          ),
    };
  }

  #distinctAliases(): string[] {
    return [...new Map([...this.#byAlias].reverse().map(([alias, wallet]) => [wallet, alias])).values()].reverse();
  }

  #linger(): void {
    this.#toy.linger();
    this.#risky = false;
  }

  #step(step: Step): Reaction['stop'] {
    switch (step.kind) {
      case 'wait':
        if (step.ms === 'linger') this.#linger();
        return null;
      case 'launches':
        return null;
      case 'repeat': {
        let stop: Reaction['stop'] = null;
        for (let index = 0; index < step.times; index += 1) stop ??= this.#call(step.instance(index));
        return stop;
      }
      case 'together':
        return this.#together(step.steps);
      case 'call':
        if (step.after === 'linger') this.#linger();
        return this.#call(step);
    }
  }

  #call(step: CallStep): Reaction['stop'] {
    if (step.origin.kind === 'earlier') return this.#fromBefore(step, step.origin.call);
    const sent = this.#send(step);
    return this.#follow(sent, this.#judge.observe(sent));
  }

  #fromBefore(step: CallStep, call: string): Reaction['stop'] {
    const before = this.#past.get(call);
    if (!before) return null;
    const request: ToyRequest = { key: step.key, call: step.call, fields: null, signedRight: true };
    const said = this.#options.fault ? this.#options.fault(request, () => before.answered, this.#toy) : before.answered;
    const exchange = this.#exchange(step, said);
    const sent = {
      step,
      exchange,
      amount: before.effect.absolute(),
      stated: { moves: undefined, body: [] },
      before,
      lingered: false,
    };
    return this.#follow(sent, this.#judge.observe(sent));
  }

  #follow({ step }: SentCall, { read, result, stop }: Reaction): Reaction['stop'] {
    for (const wallet of read) {
      const alias = [...this.#byAlias].find(([, one]) => one === wallet)?.[0] ?? 'main';
      const halted = this.#read(alias);
      if (halted && !stop) return halted;
    }
    if (stop) return stop;
    switch (result.kind) {
      case 'settled':
        return null;
      case 'wait':
      case 'behind':
        this.#linger();
        return this.#read(step.session);
      case 'probe': {
        const values = [this.#probe(step.session), this.#probe(step.session)];
        const result = this.#judge.reads.probed(values);
        if (result === 'read-again') return this.#read(step.session);
        return result === 'somebody-else'
          ? { verdict: 'inconclusive', reason: result, connection: true, causes: [] }
          : null;
      }
    }
  }

  #read(alias: string): Reaction['stop'] {
    const sent = this.#send(this.#readStep(alias, 'read'));
    return this.#follow(sent, this.#judge.observe(sent));
  }

  #probe(alias: string): Money | undefined {
    const { outcome } = this.#send(this.#readStep(alias, 'probe')).exchange;
    return outcome.kind === 'reply' ? readReply(outcome.reply).balance.money : undefined;
  }

  #readStep(alias: string, word: string): CallStep {
    this.#number += 1;
    const { place } = this.#plan;
    return {
      kind: 'call',
      key: `${word}.${this.#number}`,
      place,
      call: 'balance',
      session: alias,
      origin: { kind: 'fresh' },
      fields: [],
      txID: null,
      roundID: null,
      campaign: false,
      deviations: {},
      expect: { outcome: 'accepted', stated: false },
    };
  }

  #together(steps: readonly CallStep[]): Reaction['stop'] {
    const start = this.#clock;
    const sents = steps.map((step) => {
      if (this.#options.overlap !== false) this.#clock = start;
      return this.#send(step, this.#options.overlap === false ? 1 : 10);
    });
    const { reaction, overlapped } = this.#judge.observeTogether(sents);
    this.#overlapped = overlapped;
    const [first] = sents;
    return first ? this.#follow(first, reaction) : null;
  }

  #send(step: CallStep, tookMs = 1): SentCall {
    const { origin } = step;
    const again = origin.kind === 'resend' || origin.kind === 'copy';
    const fields = again ? (this.#fields.get(origin.of) ?? null) : this.#fieldsOf(step);
    this.#fields.set(step.key, fields);
    const planned = this.#judge.plannedCalls.planned(step);
    const request: ToyRequest = { key: step.key, call: step.call, fields, signedRight: planned.signedRight };
    const honest = (): ToyReply => this.#toy.answer(request);
    const said = this.#options.fault ? this.#options.fault(request, honest, this.#toy) : honest();
    const broken = step.deviations.break !== undefined;
    const exchange = this.#exchange(step, broken ? { none: 'broken' } : said, tookMs);
    const { outcome } = exchange;
    if (exchange.connection && (outcome.kind === 'none' || outcome.reply.status === 500)) this.#risky = true;
    const written = fields?.amount;
    const amount = typeof written === 'string' ? lenientMoney(written) : undefined;
    if (amount) this.#amounts.set(step.key, amount);
    if (
      outcome.kind === 'reply' &&
      outcome.reply.status === 200 &&
      step.call !== 'balance' &&
      'status' in said &&
      amount &&
      !this.#past.has(step.call)
    ) {
      const effect = step.call === 'bet' ? amount.negated() : amount;
      this.#past.set(step.call, { reply: readReply(outcome.reply), effect, answered: said });
    }
    const scope = this.#scope(step);
    const { moves, body } = step.expect;
    return {
      step,
      exchange,
      amount: again ? undefined : amount,
      stated: {
        moves: moves && evaluateMoney(moves, scope),
        body: (body ?? []).map(([path, template]) => [path, evaluate(template, scope)] as const),
      },
      lingered: !this.#risky,
    };
  }

  #fieldsOf(step: CallStep): JsonObject | null {
    const { body, tamper } = step.deviations;
    if (body?.raw !== undefined) return null;
    const scope = this.#scope(step);
    const values = (entries: readonly (readonly [string, Template])[] = []): JsonObject =>
      Object.fromEntries(entries.map(([name, template]) => [name, evaluate(template, scope)]));
    const fields = { sessionID: step.session, ...values(step.fields), ...values(body?.set), ...values(tamper?.fields) };
    return Object.fromEntries(Object.entries(fields).filter(([name]) => !body?.drop?.includes(name)));
  }

  #exchange(step: CallStep, said: ToyOutcome, tookMs = 1): Exchange {
    this.#number += 1;
    const start = this.#clock;
    const end = start + ('status' in said ? (said.tookMs ?? tookMs) : tookMs);
    this.#clock = end;
    const outcome: Outcome =
      'none' in said
        ? { kind: 'none', reason: said.none, detail: said.none }
        : {
            kind: 'reply',
            reply: {
              status: said.status,
              headers: [['Content-Type', said.type ?? 'application/json']],
              body: bodyOf(said.body),
            },
          };
    const reached =
      !('none' in said) || !['refused', 'unresolved', 'unreachable', 'connect-timeout'].includes(said.none);
    return {
      id: `x${this.#number}`,
      call: step.call,
      outcome,
      connection: reached ? { id: 1, reused: false } : null,
      request: {
        method: step.call === 'balance' ? 'GET' : 'POST',
        url: 'http://operator.test/',
        headers: [],
        body: null,
      },
      stamps: {
        start,
        resolved: null,
        connected: start,
        secured: null,
        sent: start,
        firstByte: end,
        end,
        ...('none' in said && said.pausedMs !== undefined && { pausedMs: said.pausedMs }),
      },
    };
  }

  #scope(self: CallStep): Scope {
    const own: Readonly<Record<string, Value | undefined>> = { stake: STAKE, unit: UNIT, campaign: 'spring' };
    return {
      decimals: 2,
      name: ([first = '', second = '', third = '']): Value | undefined => {
        if (first in own) return own[first];
        if (first === 'balance') return this.#byAlias.get(second || 'main')?.certain();
        if (first === 'session') return second || 'main';
        if (first === 'drift') return Money.of(second === 'first' ? '0.10' : '0.20');
        const step = first === 'self' ? self : this.#named.get(first);
        if (second === 'txID' || second === 'roundID') return step?.[second] ?? undefined;
        if (second === 'reply') return step && this.#judge.replyOf(step.key)?.object?.[third];
        return step && this.#amounts.get(step.key);
      },
    };
  }
}

/** Returns the rules that failed, without those that another breach explains. */
function brokenRules(findings: readonly Finding[]): readonly string[] {
  const attribution = new Attribution();
  attribution.add('scenario', findings);
  const explained = new Set<string>(attribution.conclude().map(({ rule }) => rule));
  const failed = findings.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule);
  return [...new Set(failed)].filter((rule) => !explained.has(rule));
}

/** Returns a body: text as it is, any other value as JSON. */
export function bodyOf(value: JsonValue): Body {
  const data = typeof value === 'string' ? value : JSON.stringify(value);
  return { encoding: 'utf8', data, length: Buffer.byteLength(data), truncated: false };
}
