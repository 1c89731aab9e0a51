import type { TransactionCall } from '../../contract/call-name.ts';
import type { Exchange } from '../../journal/exchange.ts';
import { isEndedSession, saysEnded } from '../../journal/network/unknown-session.ts';
import type { Reaction } from '../../judge/judge.ts';
import type { OwnDecline } from '../../judge/policy/own-limits.ts';
import type { Wallet } from '../../judge/wallet/wallet.ts';
import type { ReplyReading } from '../../reply/read.ts';
import { isBusy, isServerError, isWorthRetrying, replyStatus } from '../../reply/status.ts';
import { EvaluationError } from '../../scenario/expressions/evaluate.ts';
import type { CallStep, Step, TogetherStep } from '../../scenario/plan/plan.ts';
import type { AcceptedCalls } from '../accepted-calls.ts';
import type { BalanceAdjuster } from '../balances/balance-adjuster.ts';
import { Reads } from '../balances/reads.ts';
import { Dispatch, type DispatchOptions, isCutOff, mayBeCutOff, type ReadyCall } from '../calls/dispatch.ts';
import type { Sender } from '../calls/sender.ts';
import { mayBeConflict } from '../calls/unanswered-calls.ts';
import { busyPauseMs, idle, MAX_ATTEMPTS, pause, RETRIES } from '../calls/waits.ts';
import type { Races } from '../races.ts';
import type { RunOptions } from '../run-options.ts';
import { type ScenarioContext, type StopReason, stoppedBecause } from '../scenario-context.ts';
import { walletIdOf } from '../session-pool.ts';
import type { SettleTime } from '../settle-time.ts';
import { judgeLaunched } from './launched.ts';
import type { NeedlessReads } from './needless-reads.ts';
import { accountOf, winOfRound } from './round-ends.ts';
import { settleRace } from './unknown-outcomes.ts';

export interface ScenarioRunnerOptions extends DispatchOptions {
  readonly attempt: number;
  readonly adjuster: BalanceAdjuster;
  /** The results of the races, shared by all repetitions of a scenario. */
  readonly races: Races;
  /** The balance reads that this attempt leaves out. Absent: no read is left out. */
  readonly needlessReads?: NeedlessReads | undefined;
  /** True if the step got a temporary error in every attempt at the scenario. */
  readonly isLasting: (step: string) => boolean;
}

/** Maximum number of retries of a call that the operator may still be working on. */
const MAX_RETRIES = 6;
/**
 * Maximum number of retries of a call that the operator answers with "too busy", in the last attempt at a scenario. It is higher
 * than in earlier attempts, so that a short limit of the number of calls can end.
 */
const PATIENT_RETRIES = 5;
/**
 * Maximum number of times that a call that must be refused is sent again because it got an error 5xx in every attempt at the
 * scenario. An operator that fails at every third call fails at the same step again if a scenario has three such calls, or six.
 */
const RETRIES_OF_REFUSED = 2;
const PAUSE_OF_REFUSED_MS = 20;
/** Maximum number of times that a call is sent to find out an unknown outcome. */
const MAX_SETTLINGS = 4;
/** Maximum number of times that a call is sent to find out an unknown outcome after the run was interrupted. */
const MAX_SETTLINGS_INTERRUPTED = 2;
const FIRST_SETTLING_PAUSE_MS = 50;
const MAX_SETTLING_PAUSE_MS = 1000;
/** Number of calls in a `repeat` step after which the balance is read. */
const MAX_UNREAD = 200;

/** Plays the steps of one scenario. Sends the calls, passes the exchanges to the judge, and does what the judge asks for. */
export class ScenarioRunner {
  readonly #context: ScenarioContext;
  readonly #sender: Sender;
  readonly #run: RunOptions;
  readonly #acceptedCalls: AcceptedCalls;
  readonly #attempt: number;
  readonly #adjuster: BalanceAdjuster;
  readonly #settleTime: SettleTime;
  readonly #races: Races;
  readonly #dispatch: Dispatch;
  readonly #reads: Reads;
  readonly #needlessReads: NeedlessReads | undefined;
  readonly #isLasting: (step: string) => boolean;
  readonly #startedAt: number;
  readonly #unplayed: string[] = [];

  constructor(options: ScenarioRunnerOptions) {
    const { context, sender, run, acceptedCalls, attempt, adjuster, settleTime: waitUntilSettled, races } = options;
    this.#context = context;
    this.#sender = sender;
    this.#run = run;
    this.#acceptedCalls = acceptedCalls;
    this.#attempt = attempt;
    this.#adjuster = adjuster;
    this.#settleTime = waitUntilSettled;
    this.#races = races;
    this.#dispatch = new Dispatch(options);
    this.#reads = new Reads({ context, dispatch: this.#dispatch, run, settleTime: waitUntilSettled });
    this.#needlessReads = options.needlessReads;
    this.#isLasting = options.isLasting;
    this.#startedAt = run.now();
  }

  /** True if the operator closed a kept-alive connection during a call. */
  get stale(): boolean {
    return this.#dispatch.stale;
  }

  /** The keys of the steps that were not played, or not to their end, because there was a reason to stop. */
  get unplayed(): readonly string[] {
    return this.#unplayed;
  }

  async steps(steps: readonly Step[], mayStop: boolean): Promise<StopReason | null> {
    for (const [index, step] of steps.entries()) {
      const isInterrupted = mayStop && this.#run.signal.aborted;
      const stopReason = isInterrupted ? stoppedBecause('the run was interrupted') : await this.#step(step);
      if (!stopReason) continue;
      this.#unplayed.push(...steps.slice(index).map(({ key }) => key));
      return stopReason;
    }
    return null;
  }

  /** Reads a balance between the steps of the scenario. */
  read(alias: string): Promise<{ readonly stopReason: StopReason | null; readonly reading: ReplyReading | undefined }> {
    return this.#reads.own(alias);
  }

  /** Sends an owed call until it is answered or the limit is reached. Only the last answer counts. */
  async settle(step: CallStep, { judged }: { readonly judged: boolean }): Promise<void> {
    const { outbox } = this.#dispatch;
    const outgoing = outbox.kept(step) ?? outbox.make(step);
    if (!outgoing) return;
    outbox.keep(step, outgoing);
    const call = { step, outgoing };
    let hasFailed = false;
    for (let tries = 1; ; tries += 1) {
      const mayOverlap = this.#dispatch.mayOverlap(step);
      const exchange = await this.#dispatch.send(call, { purpose: 'settle' });
      const status = replyStatus(exchange);
      if (status === 200 && hasFailed) this.#sender.waitPolicy.noteRandomFailure();
      hasFailed ||= status === 500;
      const isConflict = mayOverlap && mayBeConflict(step, exchange);
      // A call that got no reply is sent once more. If it gets no reply again, croupier stops sending it. The journal still says
      // that the call is owed.
      const isLast =
        !isConflict &&
        (tries >= this.#maxSettlings(step) || (status === undefined ? tries > 1 : !isWorthRetrying(status)));
      if (isLast) {
        const sent = {
          ...this.#dispatch.sentOf(call, exchange),
          retried: tries > 1 || step.origin.kind === 'resend',
          isSessionEnded: judged && (await this.#isSessionEnded(step, exchange)),
        };
        if (judged) await this.#react(this.#context.judge.observe(sent));
        else this.#context.judge.follow(sent);
      }
      this.#dispatch.follow(call, exchange);
      if (isLast) return;
      await pause(Math.min(FIRST_SETTLING_PAUSE_MS * 2 ** tries, MAX_SETTLING_PAUSE_MS));
    }
  }

  #maxSettlings({ call }: CallStep): number {
    if (this.#sender.waitPolicy.stopsRetrying(call)) return 1;
    return this.#run.signal.aborted ? MAX_SETTLINGS_INTERRUPTED : MAX_SETTLINGS;
  }

  /** Waits until no call of this scenario can take effect any more. */
  async linger(): Promise<void> {
    await pause(this.#settleTime.restMs);
  }

  async #step(step: Step): Promise<StopReason | null> {
    if (step.atMs !== undefined) await idle(this.#startedAt + step.atMs - this.#run.now(), this.#run.signal);
    try {
      switch (step.kind) {
        case 'wait':
          if (step.ms === 'linger') await this.linger();
          else await idle(step.ms, this.#run.signal);
          return null;
        case 'launches':
          await judgeLaunched(step, { context: this.#context, run: this.#run, sender: this.#sender });
          return null;
        case 'together':
          return await this.#together(step);
        case 'repeat':
          for (let index = 0; index < step.times; index += 1) {
            if (this.#run.signal.aborted) return stoppedBecause('the run was interrupted');
            const stopReason = (await this.#call(step.instance(index))) ?? (await this.#readIfManyUnread());
            if (stopReason) return stopReason;
          }
          return null;
        case 'call':
          return await this.#call(step);
      }
    } catch (error) {
      if (error instanceof EvaluationError) return this.#stopAfterError(step, error);
      throw error;
    }
  }

  /**
   * Reads the balance from time to time if a step repeats a call many times. croupier keeps every effect in memory until a read
   * shows it. So these reads limit the memory.
   */
  async #readIfManyUnread(): Promise<StopReason | null> {
    for (const { alias, wallet } of this.#context.wallets) {
      if (wallet.moves.length < MAX_UNREAD) continue;
      const { stopReason } = await this.#reads.own(alias);
      if (stopReason) return stopReason;
    }
    return null;
  }

  /**
   * Returns the reason to stop because a value of a step could not be computed. If a bet was answered 500, its effect on the
   * balance is unknown until the bet is refunded, so the scenario is skipped.
   */
  #stopAfterError(step: Step, error: EvaluationError): StopReason {
    const open = this.#context.wallets.some(({ wallet }) => wallet.branches.some(({ kind }) => kind === 'lost'));
    return open
      ? {
          verdict: 'skip',
          reason: 'a bet was answered 500 or not at all, so the balance is uncertain',
          connection: false,
          causes: [],
        }
      : stoppedBecause(`step ${step.key} could not be sent: ${error.message}`);
  }

  async #call(step: CallStep): Promise<StopReason | null> {
    if (step.call === 'balance') return this.#needlessReads?.leavesOut(step) ? null : this.#reads.ofStep(step);
    if (step.origin.kind === 'earlier') return this.#sendEarlier(step, step.origin.call, step.origin.from);
    const stopReason = step.call === 'bet' ? await this.#endRoundsBefore([step]) : null;
    if (stopReason) return stopReason;
    const outgoing = this.#dispatch.outbox.make(step);
    if (!outgoing) return stoppedBecause(`step ${step.key} repeats a call that was never sent`);
    const call = { step, outgoing };
    // The service sends a win or refund with an unknown outcome again until it is answered 200. So only the last answer is judged.
    for (let retry = 0; retry < this.#retriesOf(step); retry += 1) {
      const mayOverlap = this.#dispatch.mayOverlap(step);
      const exchange = await this.#dispatch.send(call);
      if (mayBeCutOff(step) && isCutOff(exchange)) break;
      const isConflict = mayOverlap && mayBeConflict(step, exchange);
      if (!isConflict && !isWorthRetrying(replyStatus(exchange)))
        return this.#react(await this.#observe(call, exchange, retry > 0));
      await pause(busyPauseMs(exchange, retry, this.#run.deadlineMs));
    }
    for (let retry = 0; this.#mayBeByChance(step) && retry < RETRIES_OF_REFUSED; retry += 1) {
      const exchange = await this.#dispatch.send(call);
      if (!isServerError(replyStatus(exchange))) return this.#react(await this.#observe(call, exchange, retry > 0));
      await pause(PAUSE_OF_REFUSED_MS);
    }
    const { judge } = this.#context;
    const patience = this.#busyRetriesOf(step);
    for (let retry = 0; ; retry += 1) {
      const isLast = retry >= patience;
      const mayOverlap = this.#dispatch.mayOverlap(step);
      const { exchange, judged } = await this.#dispatch.judged(call, 'step', (sent) => {
        if (!isLast && isBusy(replyStatus(sent.exchange))) return null;
        if (mayOverlap && mayBeConflict(step, sent.exchange)) return null;
        if (mayBeEnded(step, sent.exchange)) return {};
        const decline = judge.ownDeclineOf(sent);
        return decline ? { decline } : { reaction: judge.observe(sent) };
      });
      if (judged) {
        if (patience > 0) this.#sender.waitPolicy.noteBusy(kindOf(step), isBusy(replyStatus(exchange)));
        if (!judged.reaction && !judged.decline) return this.#react(await this.#observe(call, exchange, false));
        const reaction = judged.reaction ?? (await this.#observeDeclined(call, exchange, judged.decline));
        this.#dispatch.follow(call, exchange);
        return this.#react(reaction);
      }
      await pause(busyPauseMs(exchange, retry, this.#run.deadlineMs));
    }
  }

  /**
   * Judges a bet that was declined. Before that, a comparison with other bets shows whether a limit of the operator was the reason.
   */
  async #observeDeclined(call: ReadyCall, exchange: Exchange, decline: OwnDecline): Promise<Reaction> {
    const { judge, names } = this.#context;
    const { session } = call.step;
    const account = accountOf(this.#context, session);
    const wallet = names.walletOf(session);
    const balance = wallet?.certain();
    // The replies to the bets of the comparison are not judged.
    if (wallet) this.#context.judge.reads.forgetReplies(wallet);
    const ownLimit = await this.#adjuster.ownLimits.limitOf(decline, account.denomination.code, {
      plainBets: () => this.#adjuster.plainBets(account, balance),
      freeBet: () => this.#adjuster.freeBet(account, names.campaign),
      betOf: (amount, isShort) => this.#adjuster.plainBet(account, balance, amount, isShort),
    });
    return judge.observe({ ...this.#dispatch.sentOf(call, exchange), ...(ownLimit && { ownLimit }) });
  }

  /**
   * Before the next round of a session begins, completes its open rounds with a win of 0, as the service does. Does not complete a
   * round if a later step refers to it, or if the scenario tests rounds that overlap.
   */
  async #endRoundsBefore(bets: readonly CallStep[]): Promise<StopReason | null> {
    const { openRounds, plan, judge } = this.#context;
    if (plan.rounds !== undefined) return null;
    for (const round of openRounds.before(bets)) {
      const exchange = await this.#adjuster.endRound(accountOf(this.#context, round.alias), round, 'settle');
      openRounds.remove(round);
      if (!exchange) continue;
      const stopReason = await this.#react(judge.roundEnded(winOfRound(round), exchange));
      if (stopReason) return stopReason;
    }
    return null;
  }

  async #observe(call: ReadyCall, exchange: Exchange, retried: boolean): Promise<Reaction> {
    const isSessionEnded = await this.#isSessionEnded(call.step, exchange);
    const reaction = this.#context.judge.observe({ ...this.#dispatch.sentOf(call, exchange), retried, isSessionEnded });
    this.#dispatch.follow(call, exchange);
    return reaction;
  }

  /**
   * True if the operator declined the call because its session has ended, and declines a balance read of this session for the same
   * reason. An operator that declines only wins or refunds with this code breaks their rules.
   */
  async #isSessionEnded(step: CallStep, exchange: Exchange): Promise<boolean> {
    if (!mayBeEnded(step, exchange)) return false;
    const { outcome } = await this.#adjuster.readOnce(accountOf(this.#context, step.session), 'probe');
    return isEndedSession('balance', outcome);
  }

  /**
   * Returns the maximum number of retries of a win or refund. The number is highest if croupier broke the connection of the first
   * call, or of the refunded bet, because the operator may still be working on that call.
   */
  #retriesOf(step: CallStep): number {
    if (step.deviations.break || (step.call !== 'win' && step.call !== 'refund')) return 0;
    if (this.#sender.waitPolicy.stopsRetrying(step.call)) return 0;
    const { source, target, signedRight } = this.#context.judge.plannedCalls.planned(step);
    const broken = source?.step.deviations.break !== undefined || target?.step.deviations.break !== undefined;
    if (broken) return MAX_RETRIES;
    // The service also repeats the refund of a declined bet, because the network may have lost the reply that declined the bet.
    const isOfDeclined = step.call === 'refund' && ['declined', 'refused'].includes(target?.step.expect.outcome ?? '');
    return signedRight && (step.expect.outcome === 'accepted' || isOfDeclined) ? RETRIES : 0;
  }

  /** True if a call that must be refused failed in every attempt, and only the same call again shows whether it always fails. */
  #mayBeByChance({ key, expect, deviations }: CallStep): boolean {
    return expect.outcome === 'refused' && !deviations.break && !deviations.trickle && this.#isLasting(key);
  }

  /**
   * Returns the maximum number of times that a call is sent again while the operator is busy. Returns 0 for a new bet: the service
   * does not send a bet again, and the next read shows whether the operator took it. Returns 0 for a win or refund if {@link
   * #retriesOf} already allows retries.
   */
  #busyRetriesOf(step: CallStep): number {
    if (step.deviations.break || step.deviations.trickle) return 0;
    const isSettling = step.call !== 'bet' && this.#retriesOf(step) > 0;
    const isNewBet = step.call === 'bet' && step.origin.kind === 'fresh' && step.expect.outcome !== 'refused';
    if (isSettling || isNewBet) return 0;
    if (this.#sender.waitPolicy.isAlwaysBusy(kindOf(step))) return 0;
    return this.#attempt >= MAX_ATTEMPTS ? PATIENT_RETRIES : RETRIES;
  }

  async #react(reaction: Reaction): Promise<StopReason | null> {
    for (const wallet of reaction.read) {
      const stopReason = await this.#readWallet(wallet);
      if (stopReason && !reaction.stop) return stopReason;
    }
    return reaction.stop;
  }

  async #readWallet(wallet: Wallet): Promise<StopReason | null> {
    const alias = this.#context.wallets.find((one) => one.wallet === wallet)?.alias ?? 'main';
    return (await this.#reads.own(alias)).stopReason;
  }

  async #together(together: TogetherStep): Promise<StopReason | null> {
    const { key, steps } = together;
    const stopReason = await this.#endRoundsBefore(steps.filter(({ call }) => call === 'bet'));
    if (stopReason) return stopReason;
    const ready = steps.flatMap((step): ReadyCall[] => {
      const outgoing = this.#dispatch.outbox.make(step);
      return outgoing ? [{ step, outgoing }] : [];
    });
    const isTimed = steps.some(({ atMs = 0 }) => atMs > 0);
    const release = this.#races.release(
      ready.map(({ step }) => step.call),
      isTimed,
    );
    const race = await this.#dispatch.together(ready, release, (sents) => this.#context.judge.observeTogether(sents));
    const { reaction, overlapped } = race.judged;
    this.#races.noteOverlap(key, race.calls, overlapped);
    this.#run.record({
      event: 'race',
      scenario: this.#context.plan.id,
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
    if (!reaction.stop)
      await settleRace(this.#context, together, (step, how) => this.settle(step, how), this.#run.uuid);
    return this.#react(reaction);
  }

  async #sendEarlier(step: CallStep, call: TransactionCall, from: 'run' | 'journal'): Promise<StopReason | null> {
    const session = this.#context.assignment.get(step.session);
    const source = from === 'run' ? this.#acceptedCalls : this.#run.after;
    const past = session && source?.earliest(walletIdOf(session), call);
    if (!past) return null;
    const exchange = await this.#sender.send({
      call,
      request: past.request,
      amount: past.amount,
      scenario: this.#context.plan.id,
      step: step.key,
      purpose: 'step',
      freshConnection: true,
    });
    this.#dispatch.noteConnection(exchange);
    const reaction = this.#context.judge.observe({
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

/**
 * Returns the kind of a call: its endpoint, whether the call is new, and the expected reply. For each kind, the run counts how many
 * times the operator was too busy.
 */
function kindOf({ call, origin, expect }: CallStep): string {
  return `${call} ${origin.kind} ${expect.outcome}`;
}

/** True if the operator declined a win, a refund or a call that is sent again because its session has ended. */
function mayBeEnded({ call, session, origin, expect }: CallStep, { outcome }: Exchange): boolean {
  const isNewBet = call === 'bet' && origin.kind === 'fresh';
  return (
    call !== 'balance' && !isNewBet && session !== 'unknown' && expect.outcome === 'accepted' && saysEnded(outcome)
  );
}
