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

/** The values that a scenario itself expects of a step, evaluated. */
export interface StatedValues {
  readonly moves: Money | undefined;
  readonly body: readonly (readonly [path: string, value: JsonValue])[];
}

/** One call as it was sent. */
export interface SentCall {
  readonly step: CallStep;
  readonly exchange: Exchange;
  /** The amount in its body, if it can be read. */
  readonly amount: Money | undefined;
  readonly stated: StatedValues;
  /** For a transaction of an earlier run: its reply then, and the sum that it moved. */
  readonly before?: { readonly reply: ReplyReading; readonly effect: Money };
  /** True when the same call was sent before and answered with a temporary error. */
  readonly retried?: boolean;
  /** True when the operator closed the connection without a reply at every attempt, although it answered other calls. */
  readonly closesConnection?: boolean;
  /** For reads: true when no call that was sent before can take effect any more. */
  readonly lingered: boolean;
}

/** One call with everything that a rule may use to judge it. */
export interface ObservedCall {
  readonly planned: PlannedCall;
  readonly plannedCalls: PlannedCalls;
  readonly exchange: Exchange;
  readonly answer: Answer;
  /** undefined when no reply came. */
  readonly reading: ReplyReading | undefined;
  /** True when the operator closes the connection on every attempt at this call, and on no other call. */
  readonly closesConnection: boolean;
  /** The amount of the call; for a resend, the amount of the first. undefined: it has no readable amount. */
  readonly amount: Money | undefined;
  /** The signed sum by which the balance of its session would change if it were carried out as a new call. */
  readonly effect: Money;
  /** For a resend or a copy: the transaction of the first call. For a reused txID: the transaction of the earlier call. */
  readonly earlier: Transaction | undefined;
  /** For a refund: the transaction that it names. For a win: the bet of its round. */
  readonly target: Transaction | undefined;
  /** Returns the amount of another call of the scenario, if it has been sent. */
  amountOf(planned: PlannedCall): Money | undefined;
  readonly currency: Currency | undefined;
  /** The smallest unit of the currency. */
  readonly unit: Money;
  /** The maximum number of decimals of an amount: that of the currency, or, if it has no limit, the most that a balance has shown so far. */
  readonly decimals: number;
  readonly deadlineMs: number;
  /** False when the campaign of the free rounds was made up for the test. */
  readonly campaignKnown: boolean;
  /** True when a read has shown that a free bet of this scenario lowered the balance. */
  readonly freeBetsTakeMoney: boolean;
  /** True for a bet of the whole balance. */
  readonly isWholeBalance: boolean;
  /** True for a bet above the balance, if the balance is certain. */
  readonly exceedsBalance: boolean;
  /** True when the bet was declined with `insufficient_funds` although the balance is more than twice its amount. */
  readonly isWronglyDeclined: boolean;
}

/** Describes the reply, or why there is none, as the second half of "expected 200, …". */
export function describeOutcome(observed: ObservedCall): string {
  const { exchange, reading } = observed;
  if (observed.closesConnection) return 'not answered at all: the connection was closed, each time that it was sent';
  if (!reading) {
    return exchange.outcome.kind === 'none' && exchange.outcome.reason === 'too-late'
      ? `no whole reply within ${observed.deadlineMs / 1000} seconds`
      : 'no reply came';
  }
  return describeAnswer(reading.status, reading);
}
