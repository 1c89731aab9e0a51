import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import { Money } from '../contract/money.ts';
import { CONTRACT_VERSION } from '../contract/versions.ts';
import type { Tally } from '../journal/event.ts';
import type { Exchange } from '../journal/exchange.ts';
import { type ReplyReading, readReply } from '../reply/read.ts';
import { isSuccess, isTemporary, replyStatus } from '../reply/status.ts';
import type { CallStep } from '../scenario/plan/plan.ts';
import { CallRecorder } from './call-recorder.ts';
import { ChecksByStep, checkOf } from './checks/checks.ts';
import { unmetExpectations } from './checks/expectation.ts';
import { breachOfWrongDecline } from './checks/insufficient-funds.ts';
import { OperatorTxIDs } from './checks/reply.ts';
import { decisionOf } from './checks/reply-decision.ts';
import type { JudgeContext } from './context.ts';
import { PASS } from './decision.ts';
import { endpointOf, FindingCollector } from './finding-collector.ts';
import type { ReadResult } from './idle-read.ts';
import { describeOutcome, type ObservedCall, type SentCall, type StatedValues } from './observed-call.ts';
import { isProbe, type PlannedCall, type PlannedCalls } from './planned-calls.ts';
import { Controls, TemporaryErrors } from './policy/held-back.ts';
import { type OwnDecline, ownDeclineOf } from './policy/own-limits.ts';
import { type Stop, stopAfter, stopAfterRead } from './policy/stop.ts';
import { judgeRace, overlapCount } from './races/race.ts';
import { IdleReads } from './reads/idle-reads.ts';
import { judgeReplyBalance } from './reads/reply-balance.ts';
import { Effects } from './wallet/effects.ts';
import { leaveOthersAlone } from './wallet/isolation.ts';
import type { Wallet } from './wallet/wallet.ts';

/** The steps that the run must take after a call was judged. */
export interface Reaction {
  /** Wallets whose balance must be read at once, because a reply contained an impossible balance. */
  readonly read: readonly Wallet[];
  readonly result: ReadResult;
  /** The reason to end the scenario early. null if the scenario continues. */
  readonly stop: Stop | null;
}

const CONTINUE: Reaction = { read: [], result: { kind: 'settled' }, stop: null };

/**
 * Judges one scenario, call by call, in the order of the replies.
 *
 * The judge sends nothing itself. The caller passes in each exchange, and sends the reads that a {@link Reaction} asks
 * for.
 */
export class Judge {
  readonly plannedCalls: PlannedCalls;
  readonly collector: FindingCollector;
  readonly effects = new Effects();
  readonly reads: IdleReads;
  readonly #context: JudgeContext;
  readonly #checks: ChecksByStep;
  readonly #controls: Controls;
  readonly #recorder: CallRecorder;
  readonly #txIDs = new OperatorTxIDs();
  readonly #replies = new Map<string, ReplyReading>();
  readonly #passing: TemporaryErrors;
  /** Endpoints that carried out a call with a wrong signature. */
  readonly letIn = new Set<CallName>();

  constructor(plannedCalls: PlannedCalls, context: JudgeContext) {
    this.plannedCalls = plannedCalls;
    this.#context = context;
    const { strict, contract = CONTRACT_VERSION } = context;
    this.collector = new FindingCollector(
      { strict, contract, amountsVary: !plannedCalls.hasFixedAmounts },
      (finding) => context.report(finding),
      (found) => context.reportSum?.(found),
    );
    this.reads = new IdleReads({
      collector: this.collector,
      effects: this.effects,
      scenario: plannedCalls.plan.id,
      claims: plannedCalls.plan.rules,
      proven: (rule) => context.proven(rule),
      staleReads: context.staleReads,
      rightUnit: context.rightUnit,
      balancesOfOthers: context.balancesOfOthers,
      seenBefore: (what) => context.seenBefore(what),
    });
    this.#recorder = new CallRecorder(plannedCalls, this.effects, context);
    this.#checks = new ChecksByStep(plannedCalls);
    this.#controls = new Controls(plannedCalls);
    this.#passing = new TemporaryErrors(context);
  }

  get passes(): Tally {
    return this.collector.passes;
  }

  /** Returns the reply to a named step, for expressions such as `${first.reply.txID}`. */
  replyOf(stepKey: string): ReplyReading | undefined {
    return this.#replies.get(stepKey);
  }

  /** Judges a call that was sent while no other call was in flight. */
  observe(sent: SentCall): Reaction {
    const observed = this.#recorder.record(sent);
    this.#judgeReply(observed);
    const wallet = this.#context.walletOf(sent.step.session);
    if (sent.step.call === 'balance') return this.#read(observed, sent, wallet);
    const state = observed.earlier?.state;
    this.effects.follow(observed, wallet);
    if (sent.retried) expectOnePayment(observed, wallet);
    leaveOthersAlone(observed, wallet, this.#context.wallets);
    this.#judgeTxID(observed);
    this.#expectations(observed, sent.stated);
    this.#remember(observed);
    const stop = stopAfter(observed);
    const isStored = this.#context.givenTxIDs.isGivenBefore(observed, this.effects.ofStep(sent.step.key)?.txID);
    if (wallet) this.reads.compareReplies(observed, wallet, isStored);
    return { ...CONTINUE, read: judgeReplyBalance(observed, wallet, { state, isStored }, this.reads), stop };
  }

  /**
   * croupier has completed a round with a win of 0. Makes the next balance read check that this win has moved nothing. Judges
   * nothing else about this win, because the win is not part of the scenario.
   *
   * @param step the win
   * @param exchange an exchange in which the win was accepted
   */
  roundEnded(step: CallStep, exchange: Exchange): Reaction {
    const wallet = this.#context.walletOf(step.session);
    const rule = 'win.zero';
    if (!wallet) return CONTINUE;
    const reading = exchange.outcome.kind === 'reply' ? readReply(exchange.outcome.reply) : undefined;
    this.#context.givenTxIDs.isReplyToOtherKind(step.call, step.txID, reading);
    const said = reading?.balance;
    this.reads.forgetReplies(wallet);
    const fits = !said?.money || wallet.allows(said.money);
    if (step.type === 'free') {
      // The contract does not define what a win of a free round does to the balance.
      if (!fits) wallet.setUnknown(step.key);
      return CONTINUE;
    }
    const expected = checkOf(rule)?.effect ?? '';
    wallet.expectLater({
      rule,
      endpoint: endpointOf(rule, step.call),
      step,
      exchange: exchange.id,
      hypotheses: [],
      rank: 0,
      until: 'read',
      expected,
      reported: false,
    });
    if (fits) return CONTINUE;
    this.reads.unexpectedReply(wallet, {
      rule,
      ifReadFits: 'nothing',
      step,
      exchange: exchange.id,
      said: said?.money,
      expected: `${expected}: the balance is ${wallet.possible().join(' or ')}`,
      actual: `the reply says ${said?.written}`,
    });
    return { ...CONTINUE, read: [wallet] };
  }

  /** Returns how a bet was declined, if it must be compared with plain bets before it is judged. Otherwise returns undefined. */
  ownDeclineOf(sent: SentCall): OwnDecline | undefined {
    const status = replyStatus(sent.exchange);
    if (sent.step.call !== 'bet' || status === undefined || isSuccess(status)) return undefined;
    return ownDeclineOf(this.#recorder.record(sent));
  }

  /** Records how a call moves money, but does not judge the call. It is used for calls that are not part of the scenario. */
  follow(sent: SentCall): void {
    const observed = this.#recorder.record(sent);
    const wallet = this.#context.walletOf(sent.step.session);
    this.#noteReplyToAnother(observed);
    this.effects.follow(observed, wallet);
    if (wallet) this.reads.forgetReplies(wallet);
    if (sent.retried) expectOnePayment(observed, wallet);
  }

  /**
   * Judges calls that were sent at the same instant.
   *
   * @returns the next steps, and how many of the calls overlapped
   */
  observeTogether(sents: readonly SentCall[]): { readonly reaction: Reaction; readonly overlapped: number } {
    const wallets = new Map<Wallet, Money | undefined>();
    for (const { step } of sents) {
      const wallet = this.#context.walletOf(step.session);
      if (!wallet) continue;
      wallets.set(wallet, wallet.certain());
      this.reads.forgetReplies(wallet);
    }
    const calls = sents.map((sent) => ({ sent, observed: this.#recorder.record(sent) }));
    for (const { observed } of calls) this.#judgeReply(observed);
    const overlapped = overlapCount(calls.map(({ observed }) => observed));
    const moving = new Set(
      sents.flatMap(({ step }) => (step.call === 'balance' ? [] : [this.#context.walletOf(step.session)])),
    );
    // If a call was sent in several copies, the copy that was answered 200 decides the outcome of the call. So this copy is judged
    // first. Refunds are judged after their bets.
    const inOrder = [...calls].sort((a, b) => orderOf(a.observed) - orderOf(b.observed));
    for (const { sent, observed } of inOrder) {
      const earlier = this.#recorder.earlier(observed.planned);
      this.effects.follow(
        earlier === observed.earlier
          ? observed
          : { ...observed, earlier, target: this.#recorder.target(observed.planned) },
        this.#context.walletOf(sent.step.session),
      );
      leaveOthersAlone(observed, this.#context.walletOf(sent.step.session), this.#context.wallets, moving);
      this.#judgeTxID(observed);
      this.#expectations(observed, sent.stated);
      this.#remember(observed);
    }
    for (const [wallet, before] of wallets) {
      const own = calls
        .map(({ observed }) => observed)
        .filter(({ planned }) => this.#context.walletOf(planned.step.session) === wallet);
      if (overlapped > 0) judgeRace({ calls: own, wallet, before }, this.collector, this.reads);
    }
    const lost = calls.find(({ observed }) => observed.answer === 'lost');
    return { reaction: lost ? { ...CONTINUE, stop: stopAfter(lost.observed) } : CONTINUE, overlapped };
  }

  /**
   * Ends the scenario. Makes the decisions that had to wait for a comparison call (the control), or for the other calls of the
   * scenario.
   */
  close(): void {
    this.#passing.close(this.collector, this.#controls);
    this.#controls.release(this.collector);
  }

  /** Keys of the steps whose reply may be different if the scenario is played again. */
  get stepsToRetry(): ReadonlySet<string> {
    return this.#passing.stepsToRetry;
  }

  /**
   * True if only another attempt shows whether the operator always declines this bet. It may have a limit that it applies only now
   * and then, for example a reminder after each fifteenth bet. The plain bets with which croupier compares a declined bet do not show
   * such a limit.
   */
  #mayBeLimit(observed: ObservedCall, rule: RuleId): boolean {
    if (rule.startsWith('reply.') || this.#context.proven(rule) || ownDeclineOf(observed) === undefined) return false;
    const { key } = observed.planned.step;
    const isSeenBefore = this.#context.seenBefore(`declined ${key} ${rule}`);
    return !isSeenBefore && !this.#context.isLasting(key);
  }

  #judgeReply(observed: ObservedCall): void {
    const { planned, exchange } = observed;
    this.#noteReplyToAnother(observed);
    const wallet = this.#context.walletOf(planned.step.session);
    const answered = { planned, answer: observed.answer, status: observed.reading?.status };
    this.#controls.record(answered);
    this.#passing.record(answered);
    if (isProbe(planned.step) && observed.answer !== 'declined' && observed.answer !== 'refused')
      this.collector.noteProbe();
    if (observed.isWronglyDeclined) {
      const subject = { rule: 'bet.exact-balance', step: planned.step, exchange: exchange.id } as const;
      this.#passing.holdWrongDecline(subject, breachOfWrongDecline(observed, wallet));
    }
    if (observed.answer === 'accepted' && !planned.signedRight && planned.step.expect.outcome === 'refused')
      this.letIn.add(planned.step.call);
    for (const [rule, check] of this.#checks.of(planned)) {
      const subject = { rule, step: planned.step, exchange: exchange.id };
      const decision = decisionOf(rule, check, observed);
      if (decision) {
        if (decision.kind === 'breach' && isTemporary(answered.status))
          this.#passing.hold({ ...answered, rule, exchange: exchange.id, decision });
        else if (decision.kind === 'breach' && this.#mayBeLimit(observed, rule))
          this.#passing.holdDecline(subject, decision);
        else if (check.controlled) this.#controls.hold({ ...answered, rule, exchange: exchange.id, decision });
        else this.collector.decide(subject, decision);
      }
      const hypotheses = check.hypotheses?.(observed) ?? [];
      const watched = check.watched === true && observed.answer === 'accepted';
      if ((hypotheses.length > 0 || watched) && wallet) {
        const { rank = 0, until = 'read', effect = '' } = check;
        // A breach that the reply has already shown can still explain a wrong balance. So its check is kept.
        const reported = decision !== undefined && decision.kind !== 'pass';
        wallet.expectLater({
          rule,
          endpoint: endpointOf(rule, planned.step.call),
          step: planned.step,
          exchange: exchange.id,
          hypotheses,
          rank,
          until,
          expected: effect,
          reported,
        });
      }
      if (check.observed && wallet && check.isAbout?.(observed) !== false)
        this.reads.observe(wallet, {
          rule,
          endpoint: null,
          step: planned.step,
          exchange: exchange.id,
          answered: describeOutcome(observed),
        });
    }
  }

  /** Tells the collector if the operator may have taken the call for another call. If the call is a refund, this also concerns its bet. */
  #noteReplyToAnother(observed: ObservedCall): void {
    const { planned, reading } = observed;
    const { step, source, target } = planned;
    const { givenTxIDs } = this.#context;
    if (givenTxIDs.isReplyToOtherOfRound(observed))
      this.collector.noteReplyToAnother(step.key, ['bet.many-in-round', 'refund.one-of-many']);
    const isOfOtherKind = givenTxIDs.isReplyToOtherKind(step.call, step.txID ?? source?.step.txID, reading);
    if (!isOfOtherKind && !givenTxIDs.mixesUpCalls && !isDeclineOfBet(observed)) return;
    for (const { key } of step.call === 'refund' && target ? [step, target.step] : [step])
      this.collector.noteReplyToAnother(key, ['bet.debit']);
  }

  #read(observed: ObservedCall, sent: SentCall, wallet: Wallet | null): Reaction {
    this.#remember(observed);
    const value = observed.reading?.balance.money;
    const regular = observed.answer === 'accepted' && value !== undefined && wallet !== null;
    const before = wallet ? this.reads.lastRead(wallet) : undefined;
    const result: ReadResult =
      regular && !expectsError(observed.planned)
        ? this.reads.take({ wallet, value, step: sent.step, exchange: observed.exchange.id, lingered: sent.lingered })
        : { kind: 'settled' };
    const moves = sent.stated.moves;
    this.#expectations(observed, sent.stated);
    if (
      this.#context.demanding &&
      regular &&
      moves &&
      before &&
      !value.minus(before).equals(moves) &&
      sent.step.expect.outcome !== 'either'
    ) {
      this.collector.unmet(
        sent.step,
        observed.exchange.id,
        `the balance moves by ${moves}`,
        `the balance moved by ${value.minus(before)}`,
      );
    }
    if (regular && result.kind === 'settled') this.#readRules(observed);
    return {
      ...CONTINUE,
      result,
      stop:
        observed.planned.step.expect.outcome === 'accepted' && !expectsError(observed.planned)
          ? stopAfterRead(observed, value)
          : null,
    };
  }

  /** Records a pass of `balance.read-only`, after a read that returned the right balance. */
  #readRules(observed: ObservedCall): void {
    const rule = 'balance.read-only';
    if (!this.#checks.of(observed.planned).some(([id]) => id === rule)) return;
    this.collector.decide({ rule, step: observed.planned.step, exchange: observed.exchange.id }, PASS);
  }

  #judgeTxID(observed: ObservedCall): void {
    const rule = 'reply.tx-id-distinct';
    if (!this.#checks.of(observed.planned).some(([id]) => id === rule)) return;
    const decision = this.#txIDs.take(observed);
    if (decision)
      this.collector.decide({ rule, step: observed.planned.step, exchange: observed.exchange.id }, decision);
  }

  #expectations(observed: ObservedCall, stated: StatedValues): void {
    const { key } = observed.planned.step;
    // The next attempt at the scenario shows whether the operator always answers with this error.
    const isTurnedAway =
      isTemporary(observed.reading?.status) && this.stepsToRetry.has(key) && !this.#context.isLasting(key);
    if (!this.#context.demanding || isTurnedAway) return;
    for (const { about, expected, actual } of unmetExpectations(observed, stated)) {
      // If a rule has already reported a fault, the fault is not reported again as an unmet expectation.
      if (this.#isReportedByRule(observed, about)) continue;
      this.collector.unmet(observed.planned.step, observed.exchange.id, expected, actual);
    }
  }

  #isReportedByRule(observed: ObservedCall, about: 'answer' | 'content'): boolean {
    return this.#checks.of(observed.planned).some(([, check]) => {
      const kind = check.reply?.(observed)?.kind ?? 'pass';
      return about === 'answer' ? kind !== 'pass' : kind === 'breach';
    });
  }

  #remember(observed: ObservedCall): void {
    const { step } = observed.planned;
    // A later step can refer only to a step with a name. So only replies to such steps are kept, and a long scenario needs little
    // memory.
    if (step.name !== undefined && observed.reading && !this.#replies.has(step.key))
      this.#replies.set(step.key, observed.reading);
    if (!/x\d+$/.test(step.key) || observed.planned.group !== null) return;
    const transaction = this.effects.ofStep(step.key);
    if (transaction && transaction.state !== 'unknown') this.effects.forget(transaction);
    this.#recorder.forget(step.key);
  }
}

function orderOf({ planned, answer }: ObservedCall): number {
  return (
    (planned.step.call === 'refund' ? 10 : 0) +
    (planned.step.origin.kind === 'fresh' ? 0 : 1) +
    (answer === 'accepted' ? 0 : 0.5)
  );
}

function expectsError(planned: PlannedCall): boolean {
  return planned.step.expect.outcome === 'refused' || planned.step.expect.outcome === 'declined';
}

/**
 * True if the operator answered a win or refund as if a player had too little money for a bet. No win or refund needs money, so
 * this is the stored reply to a bet.
 */
function isDeclineOfBet({ planned: { step }, answer, reading }: ObservedCall): boolean {
  return (
    (step.call === 'win' || step.call === 'refund') && answer === 'declined' && reading?.code === 'insufficient_funds'
  );
}

/**
 * A win or refund failed, and croupier sent it again. Makes the next balance read check that it was paid only once. A faulty
 * operator pays at every attempt.
 */
function expectOnePayment({ planned, exchange, effect, answer }: ObservedCall, wallet: Wallet | null): void {
  const { step } = planned;
  const rule = step.call === 'win' ? 'win.retried' : step.call === 'refund' ? 'refund.retried' : undefined;
  if (!rule || !wallet || answer !== 'accepted' || effect.isZero()) return;
  wallet.expectLater({
    rule,
    endpoint: null,
    step,
    exchange: exchange.id,
    hypotheses: ['twice', 'three times', 'four times'].map((times, more) => ({
      by: effect.times(Money.of(String(more + 1))),
      meaning: `the ${step.call} was paid ${times}, though it was answered with an error first`,
    })),
    rank: 0,
    until: 'read',
    expected: `a ${step.call} is paid only once, even if it is sent several times until it is answered 200`,
    reported: false,
  });
}
