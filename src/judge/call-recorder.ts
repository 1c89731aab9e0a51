import type { CallName } from '../contract/call-name.ts';
import { Money } from '../contract/money.ts';
import { answerOf } from '../reply/classify.ts';
import { type ReplyReading, readReply } from '../reply/read.ts';
import { isWronglyDeclined } from './checks/insufficient-funds.ts';
import { plannedAmount } from './checks/planned-amount.ts';
import type { JudgeContext } from './context.ts';
import type { ObservedCall, SentCall } from './observed-call.ts';
import type { PlannedCall, PlannedCalls } from './planned-calls.ts';
import type { Effects } from './wallet/effects.ts';
import type { Transaction } from './wallet/transaction.ts';
import type { Wallet } from './wallet/wallet.ts';

/** The highest number of decimals in the balances that the operator has shown before and after the reply to an exchange. */
interface ShownDecimals {
  readonly exchange: string;
  readonly before: number;
  readonly after: number;
}

/** Builds the record of a call for the rules: the call that was sent, its place in the plan, and the calls before it. */
export class CallRecorder {
  readonly #plannedCalls: PlannedCalls;
  readonly #effects: Effects;
  readonly #context: JudgeContext;
  readonly #amounts = new Map<string, Money>();
  readonly #shown = new Map<Wallet, ShownDecimals>();

  constructor(plannedCalls: PlannedCalls, effects: Effects, context: JudgeContext) {
    this.#plannedCalls = plannedCalls;
    this.#effects = effects;
    this.#context = context;
  }

  /** Returns the call with everything that is known about it. Stores its amount for later calls. */
  record(sent: SentCall): ObservedCall {
    const { step, exchange } = sent;
    const planned = this.#plannedCalls.planned(step);
    const reading = exchange.outcome.kind === 'reply' ? readReply(exchange.outcome.reply) : undefined;
    const earlier = this.earlier(planned);
    const currency = this.#context.currencyOf(step.session);
    const wallet = this.#context.walletOf(step.session);
    const amount = sent.amount ?? (planned.source ? earlier?.amount : undefined);
    if (amount) this.#amounts.set(step.key, amount);
    const observed: Omit<ObservedCall, 'isWronglyDeclined'> = {
      planned,
      plannedCalls: this.#plannedCalls,
      exchange,
      answer: answerOf(exchange, reading),
      reading,
      closesConnection: sent.closesConnection === true,
      ownLimit: sent.ownLimit,
      isSessionEnded: sent.isSessionEnded === true,
      amount,
      effect: sent.before ? sent.before.effect : (this.#effectOf(planned, amount) ?? Money.zero),
      earlier: sent.before ? beforeOf(planned, sent.before) : earlier,
      target: this.target(planned),
      amountOf: (other) => this.#amounts.get(other.step.key),
      currency,
      stake: this.#context.stakeOf?.(step.session),
      unit: wallet?.unit ?? Money.of('1'),
      decimals: this.#decimalsOf(sent, wallet, reading),
      deadlineMs: this.#context.deadlineMs,
      campaignKnown: this.#context.campaignKnown,
      hasCredit: this.#context.hasCredit === true,
      freeBetsTakeMoney: this.#effects.freeBetsTakeMoney,
      isWholeBalance: plannedAmount(step).isBalance,
      exceedsBalance: step.call === 'bet' && amount !== undefined && (wallet?.certain()?.compare(amount) ?? 0) < 0,
    };
    return { ...observed, isWronglyDeclined: isWronglyDeclined(observed, wallet) };
  }

  /**
   * Returns the maximum number of decimals of an amount. The currency sets this number. For a currency without a limit, returns the
   * configured number. If none is configured, returns the largest number of decimals in a balance before this reply.
   */
  #decimalsOf({ step, exchange }: SentCall, wallet: Wallet | null, reading: ReplyReading | undefined): number {
    const stated = this.#context.currencyOf(step.session)?.decimals;
    const known = this.#context.decimalsOf?.(step.session) ?? 0;
    if (!wallet) return stated ?? known;
    const last = this.#shown.get(wallet);
    // A declined bet is recorded twice: once to compare it with plain bets, and once to judge it.
    const earlier = last?.exchange === exchange.id ? last.before : (last?.after ?? 0);
    const before = Math.max(earlier, wallet.certain()?.decimals() ?? 0);
    this.#shown.set(wallet, {
      exchange: exchange.id,
      before,
      after: Math.max(before, reading?.balance.decimals ?? 0),
    });
    return stated ?? Math.max(before, known);
  }

  #effectOf(planned: PlannedCall, amount: Money | undefined): Money | undefined {
    const call: CallName = planned.step.call;
    if (call === 'refund') return this.target(planned)?.amount ?? amount;
    return call === 'bet' ? amount?.negated() : amount;
  }

  /**
   * Returns the transaction of the earlier call that this call sends again, or that has the same `txID`. undefined if there is
   * none.
   */
  earlier(planned: PlannedCall): Transaction | undefined {
    const of = planned.source ?? planned.sameTxID;
    return of ? this.#effects.ofStep(of.step.key) : undefined;
  }

  /** Returns the transaction that a refund names. For a win, returns the bet of its round. */
  target(planned: PlannedCall): Transaction | undefined {
    const { step } = planned.source ?? planned;
    if (step.call === 'win') return step.winOf === undefined ? undefined : this.#effects.ofStep(step.winOf);
    return step.refund?.kind === 'step' ? this.#effects.ofStep(step.refund.of) : undefined;
  }

  /** Removes the stored amount of a step. No later step may refer to this step. */
  forget(stepKey: string): void {
    this.#amounts.delete(stepKey);
  }
}

function beforeOf(planned: PlannedCall, before: { readonly reply: ReplyReading; readonly effect: Money }): Transaction {
  return {
    txID: '',
    planned,
    amount: before.effect.absolute(),
    wallet: null,
    effect: before.effect,
    state: 'applied',
    answer: 'accepted',
    reply: before.reply,
  };
}
