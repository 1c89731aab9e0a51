import { setTimeout as sleep } from 'node:timers/promises';
import type { Money } from '../contract/money.ts';
import type { Owed } from '../journal/event.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { Reaction, Sent } from '../judge/judge.ts';
import { type ReplyReading, readReply } from '../judge/reading.ts';
import type { Wallet } from '../judge/wallet.ts';
import { EvaluationError, evaluate, evaluateMoney } from '../scenario/evaluate.ts';
import type { CallStep, Step, TogetherStep } from '../scenario/plan.ts';
import { buildRequest } from '../wire/request.ts';
import type { History } from './history.ts';
import { headerName, type Outgoing, outgoingOf } from './outgoing.ts';
import { walletIdOf } from './pool.ts';
import { replyStatus } from './reply-status.ts';
import type { RunOptions } from './run-options.ts';
import { scopeOf } from './scope.ts';
import type { Departure, Sender } from './sender.ts';
import type { Stage } from './stage.ts';

/** Why a scenario could not be played to its end. */
export interface Halt {
  readonly verdict: 'skip' | 'inconclusive';
  readonly reason: string;
  /** The connection failed, not the operator: worth another attempt. */
  readonly connection: boolean;
  readonly causes: NonNullable<Reaction['stop']>['causes'];
}

export interface PerformanceOptions {
  readonly stage: Stage;
  readonly sender: Sender;
  readonly run: RunOptions;
  readonly history: History;
}

const POLL_MS = 100;
const MOST_RETRIES = 6;
/** The first pause before a retry, as a part of the deadline; each further one is twice as long. */
const FIRST_RETRY = 0.02;
/** After so many calls of a repetition the balance is read. */
const MOST_UNREAD = 200;

/** Plays the steps of one scenario: sends, hands what came to the judge, and does what the judge asks for. */
export class Performance {
  readonly #stage: Stage;
  readonly #sender: Sender;
  readonly #run: RunOptions;
  readonly #history: History;
  readonly #sent = new Map<string, Outgoing>();
  readonly #owed = new Map<string, Owed>();
  readonly #startedAt: number;
  /** When the last call ended that may still land late. */
  #riskyUntil = 0;
  #reads = 0;
  /** Races in which nothing overlapped. */
  missedRaces = 0;
  /** A kept-alive connection was closed under a call. */
  stale = false;

  constructor({ stage, sender, run, history }: PerformanceOptions) {
    this.#stage = stage;
    this.#sender = sender;
    this.#run = run;
    this.#history = history;
    this.#startedAt = run.now();
  }

  /** Whether calls of unknown outcome are about that nobody has asked about yet. */
  get owed(): readonly Owed[] {
    return [...this.#owed.values()];
  }

  async steps(steps: readonly Step[], mayStop: boolean): Promise<Halt | null> {
    for (const step of steps) {
      if (mayStop && this.#run.signal.aborted) return halted('the run was interrupted');
      const halt = await this.#step(step);
      if (halt) return halt;
    }
    return null;
  }

  /** A read of croupier's own; undefined when it brought no balance. */
  async read(
    alias: string,
    purpose: 'read' | 'probe' | 'restore' = 'read',
  ): Promise<{ halt: Halt | null; reading: ReplyReading | undefined }> {
    this.#reads += 1;
    const step = this.#stage.readStep(alias, `read.${this.#reads}`);
    return this.#readStep(step, purpose);
  }

  /** A call that croupier owes after the story; undefined when its bytes are not known any more. */
  async settle(step: CallStep, judged: boolean): Promise<Exchange | undefined> {
    const outgoing = this.#sent.get(step.key) ?? this.#outgoing(step);
    if (!outgoing) return undefined;
    this.#sent.set(step.key, outgoing);
    const exchange = await this.#sender.send({ ...this.#departure(step, outgoing), purpose: 'settle' });
    const sent = this.#sentOf(step, outgoing, exchange);
    if (judged) await this.#react(this.#stage.judge.observe(sent));
    else this.#stage.judge.follow(sent);
    this.#after(step, outgoing, exchange);
    return exchange;
  }

  /** Waits until nothing can land any more that was sent in this scenario. */
  async linger(): Promise<void> {
    const rest = this.#riskyUntil + this.#run.lingerMs - this.#run.now();
    if (this.#riskyUntil > 0 && rest > 0) await this.#pause(rest);
  }

  async #step(step: Step): Promise<Halt | null> {
    if (step.atMs !== undefined) await this.#idle(this.#startedAt + step.atMs - this.#run.now());
    try {
      switch (step.kind) {
        case 'wait':
          if (step.ms === 'linger') await this.linger();
          else await this.#idle(step.ms);
          return null;
        case 'together':
          return await this.#together(step);
        case 'repeat':
          for (let index = 0; index < step.times; index += 1) {
            if (this.#run.signal.aborted) return halted('the run was interrupted');
            const halt = (await this.#call(step.instance(index))) ?? (await this.#readWhatPiledUp());
            if (halt) return halt;
          }
          return null;
        case 'call':
          return await this.#call(step);
      }
    } catch (error) {
      if (error instanceof EvaluationError) return this.#unreckoned(step, error);
      throw error;
    }
  }

  /** What calls should have moved is remembered until a read has shown it, so a long repetition is read now and then. */
  async #readWhatPiledUp(): Promise<Halt | null> {
    for (const { alias, wallet } of this.#stage.wallets) {
      if (wallet.moves.length < MOST_UNREAD) continue;
      const { halt } = await this.read(alias);
      if (halt) return halt;
    }
    return null;
  }

  /** What a step is made of can't be reckoned; where a bet was answered 500 the balance is open until its refund, by the contract. */
  #unreckoned(step: Step, error: EvaluationError): Halt {
    const open = this.#stage.wallets.some(({ wallet }) => wallet.forks.some(({ kind }) => kind === 'lost'));
    return open
      ? {
          verdict: 'skip',
          reason: 'a bet was answered 500 or not at all, so the balance is not certain',
          connection: false,
          causes: [],
        }
      : halted(`step ${step.key} could not be sent: ${error.message}`);
  }

  async #call(step: CallStep): Promise<Halt | null> {
    if (step.call === 'balance') return this.#balance(step);
    if (step.origin.kind === 'earlier') return this.#fromBefore(step, step.origin.call, step.origin.from);
    const outgoing = this.#outgoing(step);
    if (!outgoing) return halted(`step ${step.key} sends a call again that was not sent`);
    // The service sends a win or a refund of unknown outcome again until it is answered 200: only the last answer is judged.
    for (let retry = 0; retry < MOST_RETRIES && this.#isRetried(step); retry += 1) {
      const exchange = await this.#sender.send(this.#departure(step, outgoing));
      this.#noteConnection(exchange);
      if (!isBusy(exchange)) return this.#react(this.#observe(step, outgoing, exchange));
      await this.#pause(this.#run.deadlineMs * FIRST_RETRY * 2 ** retry);
    }
    const { exchange, reaction } = await this.#sender.judged(
      this.#departure(step, outgoing),
      this.#model(step.session),
      (landed) => ({ exchange: landed, reaction: this.#stage.judge.observe(this.#sentOf(step, outgoing, landed)) }),
    );
    this.#after(step, outgoing, exchange);
    return this.#react(reaction);
  }

  #observe(step: CallStep, outgoing: Outgoing, exchange: Exchange): Reaction {
    const reaction = this.#stage.judge.observe(this.#sentOf(step, outgoing, exchange));
    this.#after(step, outgoing, exchange);
    return reaction;
  }

  /** A win or refund whose first connection broke, or the refund of a bet whose connection broke: the first may still be worked on. */
  #isRetried(step: CallStep): boolean {
    if (step.deviations.break || (step.call !== 'win' && step.call !== 'refund')) return false;
    const { source, target } = this.#stage.judge.story.part(step);
    return source?.step.deviations.break !== undefined || target?.step.deviations.break !== undefined;
  }

  async #balance(step: CallStep): Promise<Halt | null> {
    if (step.after === 'linger') await this.linger();
    else if (step.after !== undefined) await this.#pause(step.after);
    if (step.eventuallyMs === undefined) return (await this.#readStep(step, 'step')).halt;
    const until = this.#run.now() + step.eventuallyMs;
    const wallet = this.#stage.names.walletOf(step.session);
    const moves = step.expect.moves && evaluateMoney(step.expect.moves, scopeOf(this.#stage.names, step));
    const before = wallet && this.#stage.judge.reads.lastRead(wallet);
    for (;;) {
      const { halt, reading } = await this.#readStep(step, 'step');
      const value = reading?.balance.money;
      const there =
        moves && before
          ? value?.minus(before).equals(moves) === true
          : value !== undefined && wallet?.allows(value) === true;
      if (halt || there || this.#run.now() + POLL_MS > until) return halt;
      await this.#pause(POLL_MS);
    }
  }

  async #readStep(
    step: CallStep,
    purpose: 'step' | 'read' | 'probe' | 'restore',
  ): Promise<{ halt: Halt | null; reading: ReplyReading | undefined }> {
    const outgoing = this.#outgoing(step);
    if (!outgoing) return { halt: halted('the read could not be made'), reading: undefined };
    const { exchange, reaction } = await this.#sender.judged(
      { ...this.#departure(step, outgoing), purpose },
      this.#model(step.session),
      (landed) => ({
        exchange: landed,
        reaction: this.#stage.judge.observe(this.#sentOf(step, outgoing, landed)),
      }),
    );
    const reading = exchange.outcome.kind === 'reply' ? readReply(exchange.outcome.reply) : undefined;
    this.#noteConnection(exchange);
    if (reaction.stop) return { halt: reaction.stop, reading };
    return { halt: await this.#follow(step.session, reaction), reading };
  }

  /** After a read: waits out what may heal, or finds out whether the balance moves by itself. */
  async #follow(alias: string, reaction: Reaction): Promise<Halt | null> {
    switch (reaction.result.kind) {
      case 'settled':
        return null;
      case 'wait':
        await this.linger();
        return (await this.read(alias)).halt;
      case 'probe': {
        const values = [await this.#probe(alias), await this.#probe(alias)];
        const told = this.#stage.judge.reads.probed(values);
        return told === 'somebody-else'
          ? {
              verdict: 'inconclusive',
              reason: 'the balance moved while croupier sent nothing: somebody else is using the session',
              connection: true,
              causes: [],
            }
          : null;
      }
    }
  }

  async #probe(alias: string): Promise<Money | undefined> {
    this.#reads += 1;
    const step = this.#stage.readStep(alias, `probe.${this.#reads}`);
    const outgoing = this.#outgoing(step);
    if (!outgoing) return undefined;
    const { outcome } = await this.#sender.send({ ...this.#departure(step, outgoing), purpose: 'probe' });
    return outcome.kind === 'reply' ? readReply(outcome.reply).balance.money : undefined;
  }

  #model(alias: string): () => readonly string[] {
    return () => this.#stage.names.walletOf(alias)?.possible().map(String) ?? [];
  }

  async #react(reaction: Reaction): Promise<Halt | null> {
    for (const wallet of reaction.read) {
      const halt = await this.#readWallet(wallet);
      if (halt && !reaction.stop) return halt;
    }
    return reaction.stop;
  }

  async #readWallet(wallet: Wallet): Promise<Halt | null> {
    const alias = this.#stage.wallets.find((one) => one.wallet === wallet)?.alias ?? 'main';
    return (await this.read(alias)).halt;
  }

  async #together(step: TogetherStep): Promise<Halt | null> {
    const calls = step.steps.map((inner) => ({ inner, outgoing: this.#outgoing(inner) }));
    const ready = calls.flatMap(({ inner, outgoing }) => (outgoing ? [{ inner, outgoing }] : []));
    const departures = ready.map(({ inner, outgoing }) => this.#departure(inner, outgoing));
    const { landed, reaction, overlapped } = await this.#sender.together(
      departures,
      this.#model('main'),
      (exchanges) => {
        const pairs = ready.flatMap(({ inner, outgoing }, index) => {
          const exchange = exchanges[index];
          return exchange ? [{ inner, outgoing, exchange }] : [];
        });
        const sents = pairs.map(({ inner, outgoing, exchange }) => this.#sentOf(inner, outgoing, exchange));
        return { landed: pairs, ...this.#stage.judge.observeTogether(sents) };
      },
    );
    for (const { inner, outgoing, exchange } of landed) this.#after(inner, outgoing, exchange);
    if (overlapped === 0) this.missedRaces += 1;
    return this.#react(reaction);
  }

  async #fromBefore(step: CallStep, call: 'bet' | 'win' | 'refund', from: 'run' | 'journal'): Promise<Halt | null> {
    const session = this.#stage.casting.get(step.session);
    const past = session && from === 'run' ? this.#history.earliest(walletIdOf(session), call) : undefined;
    if (!past) return null;
    const exchange = await this.#sender.send({
      call,
      request: past.request,
      scenario: this.#stage.plan.id,
      step: step.key,
      purpose: 'step',
      freshConnection: true,
    });
    this.#noteConnection(exchange);
    const reaction = this.#stage.judge.observe({
      step,
      exchange,
      amount: past.effect.absolute(),
      stated: { moves: undefined, body: [] },
      before: { reply: past.reply, effect: past.effect },
      lingered: false,
    });
    return this.#react(reaction);
  }

  #outgoing(step: CallStep): Outgoing | undefined {
    const { origin } = step;
    if (origin.kind === 'resend' || origin.kind === 'copy') {
      const first = this.#sent.get(origin.of) ?? this.#firstOf(origin.of);
      if (!first) return undefined;
      const outgoing = this.#again(step, first);
      this.#sent.set(step.key, outgoing);
      return outgoing;
    }
    const sessionID = this.#stage.names.sessionID(step.session);
    if (sessionID === undefined) throw new EvaluationError(`no session plays \`${step.session}\``);
    const outgoing = outgoingOf(step, sessionID, this.#run.client, scopeOf(this.#stage.names, step));
    // A wallet below zero would make a bet of what is in it a credit.
    if (outgoing.amount?.isNegative() && step.deviations.body === undefined) {
      throw new EvaluationError('its amount would be below zero');
    }
    if (this.#isReferredTo(step)) this.#sent.set(step.key, outgoing);
    return outgoing;
  }

  #firstOf(key: string): Outgoing | undefined {
    const source = this.#stage.judge.story.byKey(key)?.source;
    return source ? this.#sent.get(source.step.key) : undefined;
  }

  /** The same call once more: as it was, but for how it is signed, tampered with or headed this time. */
  #again(step: CallStep, first: Outgoing): Outgoing {
    const { sign, tamper, headerCase } = step.deviations;
    if (sign === undefined && tamper === undefined && headerCase === undefined) return first;
    const { tamper: _undone, ...spec } = first.spec;
    const scope = scopeOf(this.#stage.names, step);
    const changed = {
      ...spec,
      ...(sign && { sign }),
      ...(headerCase && { headerName: headerName(headerCase) }),
      ...(tamper && {
        tamper: { fields: Object.fromEntries(tamper.fields.map(([name, value]) => [name, evaluate(value, scope)])) },
      }),
    };
    return { ...first, spec: changed, request: buildRequest(changed) };
  }

  /** Bytes are kept only of calls that a later step sends again. */
  #isReferredTo(step: CallStep): boolean {
    return this.#stage.judge.story.parts.some(({ source }) => source?.step.key === step.key);
  }

  #departure(step: CallStep, outgoing: Outgoing): Departure {
    const { trickle, break: breakAt } = step.deviations;
    return {
      call: step.call,
      request: outgoing.request,
      scenario: this.#stage.plan.id,
      step: step.key,
      purpose: 'step',
      breakAt,
      trickle,
    };
  }

  #sentOf(step: CallStep, outgoing: Outgoing, exchange: Exchange): Sent {
    const scope = scopeOf(this.#stage.names, step);
    const { moves, body } = step.expect;
    return {
      step,
      exchange,
      amount: outgoing.amount,
      stated: {
        moves: moves && evaluateMoney(moves, scope),
        body: (body ?? []).map(([path, template]) => [path, evaluate(template, scope)] as const),
      },
      lingered: this.#run.now() >= this.#riskyUntil + this.#run.lingerMs || this.#riskyUntil === 0,
    };
  }

  #after(step: CallStep, outgoing: Outgoing, exchange: Exchange): void {
    this.#noteConnection(exchange);
    const { outcome, stamps, connection } = exchange;
    const sure = outcome.kind === 'reply' && outcome.reply.status !== 500;
    if (!sure && connection !== null) this.#riskyUntil = Math.max(this.#riskyUntil, stamps.end);
    this.#noteOwed(step, outgoing);
    // What has no known outcome will have to be sent again.
    if (this.#stage.judge.effects.ofStep(step.key)?.state === 'unknown') this.#sent.set(step.key, outgoing);
    if (step.origin.kind !== 'fresh' || outcome.kind !== 'reply' || step.call === 'balance' || step.type === 'free')
      return;
    const transaction = this.#stage.judge.effects.ofStep(step.key);
    const session = this.#stage.casting.get(step.session);
    if (
      session &&
      transaction?.state === 'applied' &&
      transaction.reply &&
      Object.keys(step.deviations).length === 0 &&
      !step.campaign
    ) {
      this.#history.keep(walletIdOf(session), step.call, {
        request: outgoing.request,
        reply: transaction.reply,
        effect: transaction.effect,
      });
    }
  }

  #noteConnection({ outcome }: Exchange): void {
    if (outcome.kind === 'none' && outcome.reason === 'stale-connection') this.stale = true;
  }

  /** Keeps the journal's account of what is owed, so that an aborted run can be settled. */
  #noteOwed(step: CallStep, outgoing: Outgoing): void {
    for (const transaction of this.#stage.judge.effects.all()) {
      const open = transaction.state === 'unknown' && transaction.wallet !== null;
      const known = this.#owed.get(transaction.txID);
      if (open === (known?.open ?? false)) continue;
      const { call } = transaction.part.step;
      if (call === 'balance') continue;
      const fields = known?.fields ?? textFields(transaction.part.step.key === step.key ? outgoing : undefined);
      const owed: Owed = {
        event: 'owed',
        scenario: this.#stage.plan.id,
        call: call === 'bet' ? 'refund' : call,
        sessionID: this.#stage.names.sessionID(transaction.part.step.session) ?? '',
        txID: transaction.txID,
        open,
        fields,
      };
      if (open) this.#owed.set(transaction.txID, owed);
      else this.#owed.delete(transaction.txID);
      this.#run.record(owed);
    }
  }

  /** A wait that the story asks for; an interrupted run needs it no more. */
  async #idle(ms: number): Promise<void> {
    if (ms <= 0 || this.#run.signal.aborted) return;
    await sleep(ms, undefined, { signal: this.#run.signal }).catch((error: unknown) => {
      if (!this.#run.signal.aborted) throw error;
    });
  }

  /** A wait that makes findings sound: kept when the run is interrupted, and ended by a second signal. */
  async #pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms);
  }
}

/** An answer that says: not yet. */
function isBusy(exchange: Exchange): boolean {
  const status = replyStatus(exchange);
  return status !== undefined && [409, 423, 425, 429, 500, 502, 503, 504].includes(status);
}

function textFields(outgoing: Outgoing | undefined): Record<string, string> {
  const entries = Object.entries(outgoing?.spec.fields ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}

function halted(reason: string): Halt {
  return { verdict: 'inconclusive', reason, connection: false, causes: [] };
}
