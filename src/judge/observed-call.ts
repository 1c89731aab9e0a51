import type { Currency } from '../contract/currencies.ts';
import type { JsonValue } from '../contract/json.ts';
import type { Money } from '../contract/money.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { Answer } from '../reply/classify.ts';
import { describeAnswer } from '../reply/problems.ts';
import type { ReplyReading } from '../reply/read.ts';
import type { CallStep } from '../scenario/plan/plan.ts';
import type { PlannedCall, PlannedCalls } from './planned-calls.ts';
import type { Transaction } from './wallet/transaction.ts';

/** The values that the scenario file expects of a step, with all expressions evaluated. */
export interface StatedValues {
  readonly moves: Money | undefined;
  readonly body: readonly (readonly [path: string, value: JsonValue])[];
}

/**
 * Shows how croupier recognised that a limit of the operator was the reason for a declined bet. `every-bet`: the operator also
 * declined plain bets with the same words. `now-and-then`: directly afterwards, the operator accepted the same kind of bet.
 * `steps`: bets must be multiples of a step, such as 0.50.
 */
export type OwnLimit = 'every-bet' | 'now-and-then' | 'steps';

/** One call as it was sent. */
export interface SentCall {
  readonly step: CallStep;
  readonly exchange: Exchange;
  /** The amount in the body of the call. undefined if the body has no readable amount. */
  readonly amount: Money | undefined;
  readonly stated: StatedValues;
  /** For a transaction of an earlier run: its reply in that run, and the signed sum that it moved. */
  readonly before?: { readonly reply: ReplyReading; readonly effect: Money };
  /** True if the same call was sent before and was answered with a temporary error. */
  readonly retried?: boolean;
  /** True if the operator answered other calls, but closed the connection without a reply at every attempt at this call. */
  readonly closesConnection?: boolean;
  /**
   * Says how croupier recognised that a limit of the operator was the reason for a declined bet. Left out if no limit was the
   * reason.
   */
  readonly ownLimit?: OwnLimit;
  /** True if a balance read has shown that the session of the call ended during the run. Left out: unknown. */
  readonly isSessionEnded?: boolean;
  /** For a balance read: true if no earlier call can still take effect, because enough time has passed. */
  readonly lingered: boolean;
}

/** One call with everything that a rule may use to judge it. */
export interface ObservedCall {
  readonly planned: PlannedCall;
  readonly plannedCalls: PlannedCalls;
  readonly exchange: Exchange;
  readonly answer: Answer;
  /** The parsed reply. undefined when no reply came. */
  readonly reading: ReplyReading | undefined;
  /** True if the operator closes the connection at every attempt at this call, but at no other call. */
  readonly closesConnection: boolean;
  /**
   * Says how croupier recognised that a limit of the operator was the reason for a declined bet. undefined if no limit was the
   * reason.
   */
  readonly ownLimit: OwnLimit | undefined;
  /** True if a balance read has shown that the session of the call ended during the run. */
  readonly isSessionEnded: boolean;
  /** The amount of the call. A resend has the amount of the first call. undefined if no amount can be read. */
  readonly amount: Money | undefined;
  /** The change of the balance if the operator accepts the call: negative for a bet, 0 for a free bet. */
  readonly effect: Money;
  /**
   * For a resend or a copy: the transaction of the first call. For a call whose txID an earlier call already had: the transaction
   * of this earlier call.
   */
  readonly earlier: Transaction | undefined;
  /** For a refund, the transaction that it names. For a win, the bet of its round. */
  readonly target: Transaction | undefined;
  /** Returns the amount of another call of the scenario. undefined if that call has not been sent yet. */
  amountOf(planned: PlannedCall): Money | undefined;
  readonly currency: Currency | undefined;
  /** The stake of the session: the amount of a bet that the operator is expected to accept. undefined if it is unknown. */
  readonly stake: Money | undefined;
  /** The smallest unit of the currency. */
  readonly unit: Money;
  /**
   * The maximum number of decimals of an amount. The currency sets this number. For a currency without a limit: the largest number
   * of decimals in a balance so far.
   */
  readonly decimals: number;
  readonly deadlineMs: number;
  /** False if the campaign of the free rounds was invented for the test. */
  readonly campaignKnown: boolean;
  /** True if accounts have a credit line, so that a bet above the balance may be accepted. */
  readonly hasCredit: boolean;
  /** True if a read has shown that a free bet of this scenario lowered the balance. */
  readonly freeBetsTakeMoney: boolean;
  /** True for a bet of the whole balance. */
  readonly isWholeBalance: boolean;
  /** True for a bet above the balance. False if the balance is not known exactly. */
  readonly exceedsBalance: boolean;
  /** True if the bet was declined with `insufficient_funds` although the balance is more than twice the amount of the bet. */
  readonly isWronglyDeclined: boolean;
}

/** Describes the reply, or the reason why there is none. The text can follow "expected 200, …". */
export function describeOutcome(observed: ObservedCall): string {
  const { exchange, reading } = observed;
  if (observed.closesConnection) return 'not answered: the operator closed the connection at every attempt';
  if (!reading) {
    return exchange.outcome.kind === 'none' && exchange.outcome.reason === 'too-late'
      ? `no whole reply within ${observed.deadlineMs / 1000} seconds`
      : 'no reply came';
  }
  return describeAnswer(reading.status, reading);
}
