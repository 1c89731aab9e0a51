import { setTimeout as sleep } from 'node:timers/promises';
import type { Money } from '../contract/money.ts';
import type { Exchange } from '../journal/exchange.ts';
import { isTurnedAway } from '../judge/check.ts';
import type { Reaction, Sent } from '../judge/judge.ts';
import { type ReplyReading, readReply } from '../judge/reading.ts';
import type { Wallet } from '../judge/wallet.ts';
import { EvaluationError, evaluate, evaluateMoney } from '../scenario/evaluate.ts';
import type { CallStep, Step, TogetherStep } from '../scenario/plan.ts';
import type { Debts } from './debts.ts';
import type { EarlierRun } from './earlier-run.ts';
import { type Halt, halted } from './halt.ts';
import type { History } from './history.ts';
import type { Linger } from './linger.ts';
import { Outbox } from './outbox.ts';
import type { Outgoing } from './outgoing.ts';
import { walletIdOf } from './pool.ts';
import type { Races } from './races.ts';
import { replyStatus } from './reply-status.ts';
import type { RunOptions } from './run-options.ts';
import { scopeOf } from './scope.ts';
import type { Sender } from './sender.ts';
import type { Stage } from './stage.ts';

export interface PerformanceOptions {
  readonly stage: Stage;
  readonly sender: Sender;
  readonly run: RunOptions;
  readonly history: History;
  /** undefined: no journal was given. */
  readonly earlier: EarlierRun | undefined;
  readonly attempt: number;
  /** Shared by all tellings of a story, as are races and debts. */
  readonly linger: Linger;
  readonly races: Races;
  readonly debts: Debts;
}

const POLL_MS = 100;
const MOST_RETRIES = 6;
const RETRIES = 3;
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
  readonly #earlier: EarlierRun | undefined;
  readonly #attempt: number;
  readonly #linger: Linger;
  readonly #races: Races;
  readonly #debts: Debts;
  readonly #outbox: Outbox;
  readonly #startedAt: number;
  #reads = 0;
  /** A kept-alive connection was closed under a call. */
  stale = false;

  constructor({ stage, sender, run, history, earlier, attempt, linger, races, debts }: PerformanceOptions) {
    this.#stage = stage;
    this.#sender = sender;
    this.#run = run;
    this.#history = history;
    this.#earlier = earlier;
    this.#attempt = attempt;
    this.#linger = linger;
    this.#races = races;
    this.#debts = debts;
    this.#outbox = new Outbox(stage, run.client);
    this.#startedAt = run.now();
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
    const outgoing = this.#outbox.kept(step) ?? this.#outbox.make(step);
    if (!outgoing) return undefined;
    this.#outbox.keep(step, outgoing);
    const exchange = await this.#sender.send({ ...this.#outbox.departure(step, outgoing), purpose: 'settle' });
    const sent = this.#sentOf(step, outgoing, exchange);
    if (judged) await this.#react(this.#stage.judge.observe(sent));
    else this.#stage.judge.follow(sent);
    this.#after(step, outgoing, exchange);
    return exchange;
  }

  /** Waits until nothing can land any more that was sent in this scenario. */
  async linger(): Promise<void> {
    await this.#pause(this.#linger.restMs);
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
    const outgoing = this.#outbox.make(step);
    if (!outgoing) return halted(`step ${step.key} sends a call again that was not sent`);
    // The service sends a win or a refund of unknown outcome again until it is answered 200: only the last answer is judged.
    for (let retry = 0; retry < this.#retriesOf(step); retry += 1) {
      const exchange = await this.#sender.send(this.#outbox.departure(step, outgoing));
      this.#noteConnection(exchange);
      if (!isBusy(exchange)) return this.#react(this.#observe(step, outgoing, exchange));
      await this.#pause(this.#run.deadlineMs * FIRST_RETRY * 2 ** retry);
    }
    const { exchange, reaction } = await this.#sender.judged(
      this.#outbox.departure(step, outgoing),
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

  /**
   * How often a win or refund is sent again that the operator is too busy for. Longest where the first connection broke, or
   * that of the bet: what came over it may still be worked on.
   */
  #retriesOf(step: CallStep): number {
    if (step.deviations.break || (step.call !== 'win' && step.call !== 'refund')) return 0;
    const { source, target, signedRight } = this.#stage.judge.story.part(step);
    const broken = source?.step.deviations.break !== undefined || target?.step.deviations.break !== undefined;
    if (broken) return MOST_RETRIES;
    return signedRight && step.expect.outcome === 'accepted' ? RETRIES : 0;
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
    const outgoing = this.#outbox.make(step);
    if (!outgoing) return { halt: halted('the read could not be made'), reading: undefined };
    // A read changes nothing, so one that the operator is too busy for is simply made again.
    for (let retry = 0; ; retry += 1) {
      const { exchange, reaction } = await this.#sender.judged(
        { ...this.#outbox.departure(step, outgoing), purpose },
        this.#model(step.session),
        (landed) => ({
          exchange: landed,
          reaction:
            retry < RETRIES && isTurnedAway(replyStatus(landed))
              ? null
              : this.#stage.judge.observe(this.#sentOf(step, outgoing, landed)),
        }),
      );
      this.#noteConnection(exchange);
      if (!reaction) {
        await this.#pause(this.#run.deadlineMs * FIRST_RETRY * 2 ** retry);
        continue;
      }
      const reading = exchange.outcome.kind === 'reply' ? readReply(exchange.outcome.reply) : undefined;
      if (reaction.stop) return { halt: reaction.stop, reading };
      return { halt: await this.#follow(step.session, reaction), reading };
    }
  }

  /** After a read: waits out what may heal, or finds out whether the balance moves by itself. */
  async #follow(alias: string, reaction: Reaction): Promise<Halt | null> {
    switch (reaction.result.kind) {
      case 'settled':
        return null;
      case 'wait':
        await this.linger();
        return (await this.read(alias)).halt;
      case 'behind':
        await this.#pause(this.#run.lingerMs);
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
    const outgoing = this.#outbox.make(step);
    if (!outgoing) return undefined;
    const { outcome } = await this.#sender.send({ ...this.#outbox.departure(step, outgoing), purpose: 'probe' });
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
    const ready = step.steps.flatMap((inner) => {
      const outgoing = this.#outbox.make(inner);
      return outgoing ? [{ inner, outgoing, departure: this.#outbox.departure(inner, outgoing) }] : [];
    });
    const release = this.#races.release(ready.map(({ inner }) => inner.call));
    const { judged, order, barrier } = await this.#sender.together(
      ready.map(({ departure }) => departure),
      release,
      this.#model('main'),
      (exchanges) => {
        const landed = ready.flatMap(({ inner, outgoing }, index) => {
          const exchange = exchanges[index];
          return exchange ? [{ inner, outgoing, exchange }] : [];
        });
        const sents = landed.map(({ inner, outgoing, exchange }) => this.#sentOf(inner, outgoing, exchange));
        return { landed, ...this.#stage.judge.observeTogether(sents) };
      },
    );
    const { landed, reaction, overlapped } = judged;
    for (const { inner, outgoing, exchange } of landed) this.#after(inner, outgoing, exchange);
    this.#races.landed(step.key, landed.length, overlapped);
    this.#run.record({
      event: 'race',
      scenario: this.#stage.plan.id,
      attempt: this.#attempt,
      round: this.#races.round,
      step: step.key,
      exchanges: order,
      barrier,
      staggerMs: release.staggerMs,
      overlapped,
    });
    return this.#react(reaction);
  }

  async #fromBefore(step: CallStep, call: 'bet' | 'win' | 'refund', from: 'run' | 'journal'): Promise<Halt | null> {
    const session = this.#stage.casting.get(step.session);
    const source = from === 'run' ? this.#history : this.#earlier;
    const past = session && source?.earliest(walletIdOf(session), call);
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
      lingered: this.#linger.restMs === 0,
    };
  }

  #after(step: CallStep, outgoing: Outgoing, exchange: Exchange): void {
    this.#noteConnection(exchange);
    const { outcome, stamps, connection } = exchange;
    const sure = outcome.kind === 'reply' && outcome.reply.status !== 500;
    if (!sure && connection !== null) this.#linger.risk(stamps.end);
    this.#debts.note(this.#stage, { step, outgoing });
    // What has no known outcome will have to be sent again.
    if (this.#stage.judge.effects.ofStep(step.key)?.state === 'unknown') this.#outbox.keep(step, outgoing);
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
