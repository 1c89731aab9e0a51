import type { RuleId } from '../../src/contract/catalogue.ts';
import { currencyByCode } from '../../src/contract/currencies.ts';
import type { JsonObject, JsonValue } from '../../src/contract/json.ts';
import { Money } from '../../src/contract/money.ts';
import type { Body, Exchange, Outcome } from '../../src/journal/exchange.ts';
import { type Finding, graver, type Verdict } from '../../src/journal/finding.ts';
import { Blame } from '../../src/judge/blame.ts';
import { Judge } from '../../src/judge/judge.ts';
import { Lateness } from '../../src/judge/lateness.ts';
import type { Reaction } from '../../src/judge/reaction.ts';
import { lenientMoney, type ReplyReading, readReply } from '../../src/judge/reading.ts';
import { RightUnit } from '../../src/judge/right-unit.ts';
import type { Sent } from '../../src/judge/sent.ts';
import { Story } from '../../src/judge/story.ts';
import { Wallet } from '../../src/judge/wallet.ts';
import { evaluate, evaluateMoney, type Scope, type Value } from '../../src/scenario/evaluate.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import type { CallStep, Plan, Step, Template } from '../../src/scenario/plan.ts';
import { planScenario } from '../../src/scenario/planner.ts';
import { type Answered, type Ask, type Lie, type Told, ToyWallet } from './toy-wallet.ts';

let ids = 0;

/** An id that no other call of this process has. */
export function uuid(): string {
  ids += 1;
  return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
}

/** The plan of a scenario that is given without its title. */
export function planOf(yaml: string): Plan {
  const { scenario, complaints } = loadScenario(`title: A story\n${yaml}`, 'story.yaml', {
    id: 'story',
    readFragment: () => undefined,
  });
  if (!scenario) throw new Error(complaints.map(({ message }) => message).join('\n'));
  return planScenario(scenario, scenario.stories[0]?.caseId, { uuid });
}

export interface TellOptions {
  readonly lie?: Lie;
  readonly balance?: string;
  readonly currency?: string;
  readonly strict?: boolean;
  readonly campaignKnown?: boolean;
  /** Rules that other scenarios have shown to be broken. */
  readonly proven?: readonly RuleId[];
  /** It is not the first attempt, and in the others all was the same. */
  readonly seenBefore?: boolean;
  /** Calls sent at once overlap unless this is false. */
  readonly overlap?: boolean;
}

/** What the judge made of a story. */
export interface Judged {
  readonly findings: readonly Finding[];
  readonly judge: Judge;
  readonly stop: Reaction['stop'];
  readonly overlapped: number | undefined;
  /** The gravest that was said of a rule; `untested` when nothing was. */
  verdict(rule: string): Verdict;
  /** The rules that failed with nothing else of the story to explain it. */
  readonly broken: readonly string[];
}

/** Tells a story to the judge: every call is answered by an honest wallet, but for the lie. */
export function tell(yaml: string, options: TellOptions = {}): Judged {
  return new Telling(
    planOf(`rules: [balance.read]\n${yaml}`.replace(/^rules: .*\n(?=(.*\n)*rules: )/, '')),
    options,
  ).run();
}

const STAKE = Money.of('1.00');
const UNIT = Money.of('0.01');

class Telling {
  readonly #plan: Plan;
  readonly #options: TellOptions;
  readonly #judge: Judge;
  readonly #findings: Finding[] = [];
  readonly #wallets = new Map<string, Wallet>();
  readonly #byAlias = new Map<string, Wallet>();
  readonly #toy: ToyWallet;
  readonly #fields = new Map<string, JsonObject | null>();
  readonly #named = new Map<string, CallStep>();
  readonly #past = new Map<string, { reply: ReplyReading; effect: Money; told: Told }>();
  #clock = 0;
  #number = 0;
  #risky = false;
  #overlapped: number | undefined;

  constructor(plan: Plan, options: TellOptions) {
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
    this.#judge = new Judge(new Story(plan), {
      demanding: true,
      isLasting: () => true,
      seenBefore: () => options.seenBefore ?? false,
      strict: options.strict ?? false,
      deadlineMs: 5000,
      campaignKnown: options.campaignKnown ?? true,
      walletOf: (alias) => this.#byAlias.get(alias) ?? null,
      wallets: [...this.#wallets.values()],
      currencyOf: () => currencyByCode(options.currency ?? 'USD'),
      lateness: new Lateness(),
      rightUnit: new RightUnit(),
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
    if ([...this.#wallets.values()].some(({ obligations }) => obligations.some(({ until }) => until === 'linger')))
      this.#linger();
    for (const alias of this.#distinctAliases()) {
      const wallet = this.#byAlias.get(alias);
      const open =
        wallet &&
        (wallet.moves.length > 0 ||
          wallet.forks.length > 0 ||
          wallet.openSince !== null ||
          wallet.obligations.some(({ reported }) => !reported));
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
    const ask: Ask = { key: step.key, call: step.call, fields: null, signedRight: true };
    const said = this.#options.lie ? this.#options.lie(ask, () => before.told, this.#toy) : before.told;
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

  #follow({ step }: Sent, { read, result, stop }: Reaction): Reaction['stop'] {
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
        const told = this.#judge.reads.probed(values);
        return told === 'somebody-else'
          ? { verdict: 'inconclusive', reason: told, connection: true, causes: [] }
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

  #send(step: CallStep, tookMs = 1): Sent {
    const { origin } = step;
    const again = origin.kind === 'resend' || origin.kind === 'copy';
    const fields = again ? (this.#fields.get(origin.of) ?? null) : this.#fieldsOf(step);
    this.#fields.set(step.key, fields);
    const part = this.#judge.story.part(step);
    const ask: Ask = { key: step.key, call: step.call, fields, signedRight: part.signedRight };
    const honest = (): Told => this.#toy.answer(ask);
    const said = this.#options.lie ? this.#options.lie(ask, honest, this.#toy) : honest();
    const broken = step.deviations.break !== undefined;
    const exchange = this.#exchange(step, broken ? { none: 'broken' } : said, tookMs);
    const { outcome } = exchange;
    if (exchange.connection && (outcome.kind === 'none' || outcome.reply.status === 500)) this.#risky = true;
    const written = fields?.amount;
    const amount = typeof written === 'string' ? lenientMoney(written) : undefined;
    if (
      outcome.kind === 'reply' &&
      outcome.reply.status === 200 &&
      step.call !== 'balance' &&
      'status' in said &&
      amount &&
      !this.#past.has(step.call)
    ) {
      const effect = step.call === 'bet' ? amount.negated() : amount;
      this.#past.set(step.call, { reply: readReply(outcome.reply), effect, told: said });
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

  #exchange(step: CallStep, said: Answered, tookMs = 1): Exchange {
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
      stamps: { start, resolved: null, connected: start, secured: null, sent: start, firstByte: end, end },
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
        return step && this.#judge.amountOf(step.key);
      },
    };
  }
}

/** The rules that failed, when what one breach explains of another is taken from it. */
function brokenRules(findings: readonly Finding[]): readonly string[] {
  const blame = new Blame();
  blame.add('story', findings);
  const explained = new Set<string>(blame.conclude().map(({ rule }) => rule));
  const failed = findings.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule);
  return [...new Set(failed)].filter((rule) => !explained.has(rule));
}

/** A body with its text, whatever that is. */
export function bodyOf(value: JsonValue): Body {
  const data = typeof value === 'string' ? value : JSON.stringify(value);
  return { encoding: 'utf8', data, length: Buffer.byteLength(data), truncated: false };
}
