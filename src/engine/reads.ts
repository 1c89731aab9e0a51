import type { Money } from '../contract/money.ts';
import { MOVED_ALONE } from '../journal/moved-alone.ts';
import { isTurnedAway } from '../judge/check.ts';
import type { Reaction } from '../judge/reaction.ts';
import { type ReplyReading, readReply } from '../judge/reading.ts';
import { evaluateMoney } from '../scenario/evaluate.ts';
import type { CallStep } from '../scenario/plan.ts';
import type { Dispatch } from './dispatch.ts';
import { type Halt, halted } from './halt.ts';
import type { Linger } from './linger.ts';
import { idle, pause } from './pause.ts';
import { replyStatus } from './reply-status.ts';
import { firstRetryMs, RETRIES } from './retries.ts';
import type { RunOptions } from './run-options.ts';
import { scopeOf } from './scope.ts';
import type { Stage } from './stage.ts';

const POLL_MS = 100;
const POLLS_AT_LEAST = 8;
const ENOUGH_IN_A_ROW = 2;

/** What came of a read; no reading: it was not answered. */
interface ReadOnce {
  readonly halt: Halt | null;
  readonly reading: ReplyReading | undefined;
}

export interface ReadsOptions {
  readonly stage: Stage;
  readonly dispatch: Dispatch;
  readonly run: Pick<RunOptions, 'now' | 'deadlineMs' | 'lingerMs' | 'signal'>;
  readonly linger: Linger;
}

/** Reads balances, for the story or beside it, and does what the judge asks for when one doesn't fit. */
export class Reads {
  readonly #stage: Stage;
  readonly #dispatch: Dispatch;
  readonly #run: ReadsOptions['run'];
  readonly #linger: Linger;
  #count = 0;

  constructor({ stage, dispatch, run, linger }: ReadsOptions) {
    this.#stage = stage;
    this.#dispatch = dispatch;
    this.#run = run;
    this.#linger = linger;
  }

  /** A read of croupier's own. */
  own(alias: string, purpose: 'read' | 'probe' | 'restore' = 'read'): Promise<ReadOnce> {
    this.#count += 1;
    return this.#once(this.#stage.readStep(alias, `read.${this.#count}`), purpose);
  }

  /** A read of the story, when it is due, and again until it is as it should be where the step says so. */
  async ofStory(step: CallStep): Promise<Halt | null> {
    if (step.after === 'linger') await pause(this.#linger.restMs);
    else if (step.after !== undefined) await pause(step.after);
    if (step.eventuallyMs === undefined) return (await this.#once(step, 'step')).halt;
    const until = this.#run.now() + step.eventuallyMs;
    const wallet = this.#stage.names.walletOf(step.session);
    const moves = step.expect.moves && evaluateMoney(step.expect.moves, scopeOf(this.#stage.names, step));
    const before = wallet && this.#stage.judge.reads.lastRead(wallet);
    for (;;) {
      const { halt, reading } = await this.#once(step, 'step');
      const value = reading?.balance.money;
      const there =
        moves && before
          ? value?.minus(before).equals(moves) === true
          : value !== undefined && wallet?.allows(value) === true;
      if (halt || there || this.#run.now() + POLL_MS > until) return halt;
      await pause(POLL_MS);
    }
  }

  async #once(step: CallStep, purpose: 'step' | 'read' | 'probe' | 'restore'): Promise<ReadOnce> {
    const outgoing = this.#dispatch.outbox.make(step);
    if (!outgoing) return { halt: halted('the read could not be made'), reading: undefined };
    const wallet = this.#stage.names.walletOf(step.session);
    if (wallet) await this.#await(this.#stage.judge.reads.pauseMs(wallet));
    // A read changes nothing, so one that the operator is too busy for is simply made again.
    for (let retry = 0; ; retry += 1) {
      const { exchange, judged: reaction } = await this.#dispatch.judged({ step, outgoing }, purpose, (sent) =>
        retry < RETRIES && isTurnedAway(replyStatus(sent.exchange)) ? null : this.#stage.judge.observe(sent),
      );
      if (!reaction) {
        await pause(firstRetryMs(this.#run.deadlineMs) * 2 ** retry);
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
        await pause(this.#linger.restMs);
        return (await this.own(alias)).halt;
      case 'behind':
        await this.#untilCaughtUp(alias);
        return (await this.own(alias)).halt;
      case 'probe': {
        const values = [await this.#probe(alias), await this.#probe(alias)];
        const told = this.#stage.judge.reads.probed(values);
        return told === 'somebody-else'
          ? {
              verdict: 'inconclusive',
              reason: MOVED_ALONE,
              connection: true,
              causes: [],
            }
          : null;
      }
    }
  }

  /** Waits for what shows late. */
  async #await(ms: number): Promise<void> {
    if (ms <= 0) return;
    this.#stage.lateness.waited(ms);
    await idle(ms, this.#run.signal);
  }

  /** Asks again and again, until what was sent shows or can't be late any more. */
  async #untilCaughtUp(alias: string): Promise<void> {
    const wallet = this.#stage.names.walletOf(alias);
    const from = this.#run.now();
    const until = from + this.#run.lingerMs;
    let shownAt: number | undefined;
    // One server of several may know it before the others do.
    for (let inARow = 0; this.#run.now() < until && inARow < ENOUGH_IN_A_ROW; ) {
      await this.#await(Math.min(POLL_MS, this.#run.lingerMs / POLLS_AT_LEAST));
      const value = await this.#probe(alias);
      if (value === undefined || this.#run.signal.aborted) return;
      inARow = wallet?.allows(value) ? inARow + 1 : 0;
      if (inARow === 1) shownAt = this.#run.now();
    }
    if (shownAt !== undefined) this.#stage.lateness.lasted(shownAt - from);
  }

  async #probe(alias: string): Promise<Money | undefined> {
    this.#count += 1;
    const step = this.#stage.readStep(alias, `probe.${this.#count}`);
    const outgoing = this.#dispatch.outbox.make(step);
    if (!outgoing) return undefined;
    const { outcome } = await this.#dispatch.send({ step, outgoing }, { purpose: 'probe' });
    return outcome.kind === 'reply' ? readReply(outcome.reply).balance.money : undefined;
  }
}
