import type { Money } from '../../contract/money.ts';
import type { Exchange } from '../../journal/exchange.ts';
import { MOVED_ALONE } from '../../journal/scenario-result.ts';
import type { Reaction } from '../../judge/judge.ts';
import { type ReplyReading, readReply } from '../../reply/read.ts';
import { isBusy, replyStatus } from '../../reply/status.ts';
import { evaluateMoney } from '../../scenario/expressions/evaluate.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';
import type { Dispatch } from '../calls/dispatch.ts';
import { mayBeConflict } from '../calls/unanswered-calls.ts';
import { busyPauseMs, idle, pause } from '../calls/waits.ts';
import type { RunOptions } from '../run-options.ts';
import { type ScenarioContext, type StopReason, stoppedBecause } from '../scenario-context.ts';
import { scopeOf } from '../scope.ts';
import type { SettleTime } from '../settle-time.ts';

const POLL_MS = 100;
const MIN_POLLS = 8;
const FITTING_READS_IN_A_ROW = 2;
/** Maximum number of times that a read is repeated because the network has lost its reply. */
const MAX_LOST_READS = 2;

/** The result of a balance call. `reading` is undefined if no reply arrived. */
interface ReadResult {
  readonly stopReason: StopReason | null;
  readonly reading: ReplyReading | undefined;
}

export interface ReadsOptions {
  readonly context: ScenarioContext;
  readonly dispatch: Dispatch;
  readonly run: Pick<RunOptions, 'now' | 'deadlineMs' | 'lingerMs' | 'signal'>;
  readonly settleTime: SettleTime;
}

/**
 * Reads balances for the steps of a scenario, and between the steps. If a balance is not as the judge expects, follows the decision
 * of the judge: waits, reads the balance again, or finds out whether the balance changes without a call.
 */
export class Reads {
  readonly #context: ScenarioContext;
  readonly #dispatch: Dispatch;
  readonly #run: ReadsOptions['run'];
  readonly #settleTime: SettleTime;
  #count = 0;

  constructor({ context, dispatch, run, settleTime: linger }: ReadsOptions) {
    this.#context = context;
    this.#dispatch = dispatch;
    this.#run = run;
    this.#settleTime = linger;
  }

  /** Reads a balance between the steps of the scenario. */
  own(alias: string, purpose: 'read' | 'probe' | 'restore' = 'read'): Promise<ReadResult> {
    this.#count += 1;
    return this.#once(this.#context.readStep(alias, `read.${this.#count}`), purpose);
  }

  /**
   * Reads a balance for a step of the scenario. First waits until the time that the step names. If the step says `eventually`,
   * repeats the read until the balance is as expected, or until the time of the step is over.
   */
  async ofStep(step: CallStep): Promise<StopReason | null> {
    if (step.after === 'linger') await pause(this.#settleTime.restMs);
    else if (step.after !== undefined) await pause(step.after);
    if (step.eventuallyMs === undefined) return (await this.#once(step, 'step')).stopReason;
    const until = this.#run.now() + step.eventuallyMs;
    const wallet = this.#context.names.walletOf(step.session);
    const moves = step.expect.moves && evaluateMoney(step.expect.moves, scopeOf(this.#context.names, step));
    const before = wallet && this.#context.judge.reads.lastRead(wallet);
    for (;;) {
      const { stopReason, reading } = await this.#once(step, 'step');
      const value = reading?.balance.money;
      const there =
        moves && before
          ? value?.minus(before).equals(moves) === true
          : value !== undefined && wallet?.allows(value) === true;
      if (stopReason || there || this.#run.now() + POLL_MS > until) return stopReason;
      await pause(POLL_MS);
    }
  }

  async #once(step: CallStep, purpose: 'step' | 'read' | 'probe' | 'restore'): Promise<ReadResult> {
    const outgoing = this.#dispatch.outbox.make(step);
    if (!outgoing) return { stopReason: stoppedBecause('GET /balance could not be sent'), reading: undefined };
    const wallet = this.#context.names.walletOf(step.session);
    if (wallet) await this.#waitForStaleReads(this.#context.judge.reads.pauseMs(wallet));
    // A read changes nothing. So it can be repeated if the operator is too busy, if it may still process an earlier call, or if the
    // network has lost the reply.
    let lost = 0;
    for (let retry = 0; ; retry += 1) {
      const mayOverlap = this.#dispatch.mayOverlap(step);
      const { exchange, judged: reaction } = await this.#dispatch.judged({ step, outgoing }, purpose, (sent) =>
        (retry < this.#dispatch.readRetries && isBusy(replyStatus(sent.exchange))) ||
        (lost < MAX_LOST_READS && isLost(sent.exchange)) ||
        (mayOverlap && mayBeConflict(step, sent.exchange))
          ? null
          : this.#context.judge.observe(sent),
      );
      if (!reaction) {
        if (isLost(exchange)) lost += 1;
        await pause(busyPauseMs(exchange, retry, this.#run.deadlineMs));
        continue;
      }
      const reading = exchange.outcome.kind === 'reply' ? readReply(exchange.outcome.reply) : undefined;
      if (reaction.stop) return { stopReason: reaction.stop, reading };
      return { stopReason: await this.#follow(step.session, reaction), reading };
    }
  }

  /**
   * Reacts to a balance that the judge does not expect: waits for late effects, or finds out whether the balance changes without a
   * call.
   */
  async #follow(alias: string, reaction: Reaction): Promise<StopReason | null> {
    switch (reaction.result.kind) {
      case 'settled':
        return null;
      case 'wait':
        await pause(this.#settleTime.restMs);
        return (await this.own(alias)).stopReason;
      case 'behind':
        await this.#untilCaughtUp(alias);
        return (await this.own(alias)).stopReason;
      case 'probe': {
        const values = [await this.#probe(alias), await this.#probe(alias)];
        const outcome = this.#context.judge.reads.probed(values);
        if (outcome === 'read-again') return (await this.own(alias)).stopReason;
        return outcome === 'somebody-else'
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

  /** Waits for the given time and records the wait. After this time, reads at this operator show the current balance again. */
  async #waitForStaleReads(ms: number): Promise<void> {
    if (ms <= 0) return;
    this.#context.staleReads.waited(ms);
    await idle(ms, this.#run.signal);
  }

  /** Repeats the read until it shows the effects of all calls. Gives up when the time for late effects is over. */
  async #untilCaughtUp(alias: string): Promise<void> {
    const wallet = this.#context.names.walletOf(alias);
    const from = this.#run.now();
    const until = from + this.#run.lingerMs;
    let shownAt: number | undefined;
    // The expected balance must be read twice in a row: if the operator has several servers, one server may know this balance
    // before the others.
    for (let inARow = 0; this.#run.now() < until && inARow < FITTING_READS_IN_A_ROW; ) {
      await this.#waitForStaleReads(Math.min(POLL_MS, this.#run.lingerMs / MIN_POLLS));
      const value = await this.#probe(alias);
      if (value === undefined || this.#run.signal.aborted) return;
      inARow = wallet?.allows(value) ? inARow + 1 : 0;
      if (inARow === 1) shownAt = this.#run.now();
    }
    if (shownAt !== undefined) this.#context.staleReads.caughtUpAfter(shownAt - from);
  }

  async #probe(alias: string): Promise<Money | undefined> {
    this.#count += 1;
    const step = this.#context.readStep(alias, `probe.${this.#count}`);
    const outgoing = this.#dispatch.outbox.make(step);
    if (!outgoing) return undefined;
    const { outcome } = await this.#dispatch.send({ step, outgoing }, { purpose: 'probe' });
    return outcome.kind === 'reply' ? readReply(outcome.reply).balance.money : undefined;
  }
}

/** True if the connection broke in a way that a proxy or the network may have caused, and not the operator. */
function isLost({ outcome }: Exchange): boolean {
  return outcome.kind === 'none' && (outcome.reason === 'reset' || outcome.reason === 'closed-early');
}
