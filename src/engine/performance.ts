import type { Exchange } from '../journal/exchange.ts';
import type { Reaction } from '../judge/reaction.ts';
import type { ReplyReading } from '../judge/reading.ts';
import type { Wallet } from '../judge/wallet.ts';
import { EvaluationError } from '../scenario/evaluate.ts';
import type { CallStep, Step, TogetherStep } from '../scenario/plan.ts';
import { Dispatch, type DispatchOptions, type Ready } from './dispatch.ts';
import type { EarlierRun } from './earlier-run.ts';
import { type Halt, halted } from './halt.ts';
import type { History } from './history.ts';
import { judgeLaunched } from './launched.ts';
import type { Linger } from './linger.ts';
import { idle, pause } from './pause.ts';
import { walletIdOf } from './pool.ts';
import type { Races } from './races.ts';
import { Reads } from './reads.ts';
import { replyStatus } from './reply-status.ts';
import { firstRetryMs, RETRIES } from './retries.ts';
import type { RunOptions } from './run-options.ts';
import type { Sender } from './sender.ts';
import { settleRace } from './settlement.ts';
import type { Stage } from './stage.ts';

export interface PerformanceOptions extends DispatchOptions {
  /** undefined: no journal was given. */
  readonly earlier: EarlierRun | undefined;
  readonly attempt: number;
  /** Shared by all tellings of a story. */
  readonly races: Races;
}

/** How often what may still be worked on is sent again. */
const MOST_RETRIES = 6;
/** How often a call is sent that settles what is open. */
const MOST_SETTLINGS = 4;
/** And how often when the run was interrupted. */
const MOST_SETTLINGS_IN_HASTE = 2;
const FIRST_SETTLING_PAUSE_MS = 50;
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
  readonly #dispatch: Dispatch;
  readonly #reads: Reads;
  readonly #startedAt: number;

  constructor(options: PerformanceOptions) {
    const { stage, sender, run, history, earlier, attempt, linger, races } = options;
    this.#stage = stage;
    this.#sender = sender;
    this.#run = run;
    this.#history = history;
    this.#earlier = earlier;
    this.#attempt = attempt;
    this.#linger = linger;
    this.#races = races;
    this.#dispatch = new Dispatch(options);
    this.#reads = new Reads({ stage, dispatch: this.#dispatch, run, linger });
    this.#startedAt = run.now();
  }

  /** A kept-alive connection was closed under a call. */
  get stale(): boolean {
    return this.#dispatch.stale;
  }

  async steps(steps: readonly Step[], mayStop: boolean): Promise<Halt | null> {
    for (const step of steps) {
      if (mayStop && this.#run.signal.aborted) return halted('the run was interrupted');
      const halt = await this.#step(step);
      if (halt) return halt;
    }
    return null;
  }

  /** A read of croupier's own. */
  read(alias: string): Promise<{ readonly halt: Halt | null; readonly reading: ReplyReading | undefined }> {
    return this.#reads.own(alias);
  }

  /** A call that croupier owes: it is sent until it is answered, but not for ever, and the last answer is what counts. */
  async settle(step: CallStep, { judged }: { readonly judged: boolean }): Promise<void> {
    const { outbox } = this.#dispatch;
    const outgoing = outbox.kept(step) ?? outbox.make(step);
    if (!outgoing) return;
    outbox.keep(step, outgoing);
    const call = { step, outgoing };
    let hasFailed = false;
    for (let tries = 1; ; tries += 1) {
      const exchange = await this.#dispatch.send(call, { purpose: 'settle' });
      const status = replyStatus(exchange);
      if (status === 200 && hasFailed) this.#sender.patience.sawPass();
      hasFailed ||= status === 500;
      // Who doesn't answer twice isn't waited for any longer; what is owed then stays written down.
      const isLast = tries >= this.#mostSettlings(step) || isFinal(status) || (status === undefined && tries > 1);
      if (isLast) {
        const sent = { ...this.#dispatch.sentOf(call, exchange), retried: tries > 1 || step.origin.kind === 'resend' };
        if (judged) await this.#react(this.#stage.judge.observe(sent));
        else this.#stage.judge.follow(sent);
      }
      this.#dispatch.follow(call, exchange);
      if (isLast) return;
      await pause(FIRST_SETTLING_PAUSE_MS * 2 ** tries);
    }
  }

  #mostSettlings({ call }: CallStep): number {
    if (this.#sender.patience.isShort(call)) return 1;
    return this.#run.signal.aborted ? MOST_SETTLINGS_IN_HASTE : MOST_SETTLINGS;
  }

  /** Waits until nothing can land any more that was sent in this scenario. */
  async linger(): Promise<void> {
    await pause(this.#linger.restMs);
  }

  async #step(step: Step): Promise<Halt | null> {
    if (step.atMs !== undefined) await idle(this.#startedAt + step.atMs - this.#run.now(), this.#run.signal);
    try {
      switch (step.kind) {
        case 'wait':
          if (step.ms === 'linger') await this.linger();
          else await idle(step.ms, this.#run.signal);
          return null;
        case 'launches':
          await judgeLaunched(step, { stage: this.#stage, run: this.#run, sender: this.#sender });
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
      const { halt } = await this.#reads.own(alias);
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
    if (step.call === 'balance') return this.#reads.ofStory(step);
    if (step.origin.kind === 'earlier') return this.#fromBefore(step, step.origin.call, step.origin.from);
    const outgoing = this.#dispatch.outbox.make(step);
    if (!outgoing) return halted(`step ${step.key} sends a call again that was not sent`);
    const call = { step, outgoing };
    // The service sends a win or a refund of unknown outcome again until it is answered 200: only the last answer is judged.
    for (let retry = 0; retry < this.#retriesOf(step); retry += 1) {
      const exchange = await this.#dispatch.send(call);
      if (!isBusy(exchange)) return this.#react(this.#observe(call, exchange, retry > 0));
      await pause(firstRetryMs(this.#run.deadlineMs) * 2 ** retry);
    }
    const { exchange, judged } = await this.#dispatch.judged(call, 'step', (sent) => this.#stage.judge.observe(sent));
    this.#dispatch.follow(call, exchange);
    return this.#react(judged);
  }

  #observe(call: Ready, exchange: Exchange, retried: boolean): Reaction {
    const reaction = this.#stage.judge.observe({ ...this.#dispatch.sentOf(call, exchange), retried });
    this.#dispatch.follow(call, exchange);
    return reaction;
  }

  /**
   * How often a win or refund is sent again that the operator is too busy for. Longest where the first connection broke, or
   * that of the bet: what came over it may still be worked on.
   */
  #retriesOf(step: CallStep): number {
    if (step.deviations.break || (step.call !== 'win' && step.call !== 'refund')) return 0;
    if (this.#sender.patience.isShort(step.call)) return 0;
    const { source, target, signedRight } = this.#stage.judge.story.part(step);
    const broken = source?.step.deviations.break !== undefined || target?.step.deviations.break !== undefined;
    if (broken) return MOST_RETRIES;
    return signedRight && step.expect.outcome === 'accepted' ? RETRIES : 0;
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
    return (await this.#reads.own(alias)).halt;
  }

  async #together(together: TogetherStep): Promise<Halt | null> {
    const { key, steps } = together;
    const ready = steps.flatMap((step): Ready[] => {
      const outgoing = this.#dispatch.outbox.make(step);
      return outgoing ? [{ step, outgoing }] : [];
    });
    const isTimed = steps.some(({ atMs = 0 }) => atMs > 0);
    const release = this.#races.release(
      ready.map(({ step }) => step.call),
      isTimed,
    );
    const race = await this.#dispatch.together(ready, release, (sents) => this.#stage.judge.observeTogether(sents));
    const { reaction, overlapped } = race.judged;
    this.#races.landed(key, race.calls, overlapped);
    this.#run.record({
      event: 'race',
      scenario: this.#stage.plan.id,
      attempt: this.#attempt,
      round: this.#races.round,
      step: key,
      exchanges: race.order,
      barrier: race.barrier,
      staggerMs: release.staggerMs,
      ...(isTimed && { offsetsMs: race.offsetsMs }),
      overlapped,
    });
    await idle(race.queuedMs, this.#run.signal);
    if (!reaction.stop) await settleRace(this.#stage, together, (step, how) => this.settle(step, how), this.#run.uuid);
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
    this.#dispatch.noteConnection(exchange);
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
}

/** Accepted, or declined in a way that another try a moment later won't change. */
function isFinal(status: number | undefined): boolean {
  return (
    status === 200 || (status !== undefined && status >= 400 && status < 500 && ![409, 423, 425, 429].includes(status))
  );
}

/** An answer that says: not yet. */
function isBusy(exchange: Exchange): boolean {
  const status = replyStatus(exchange);
  return status !== undefined && [409, 423, 425, 429, 500, 502, 503, 504].includes(status);
}
