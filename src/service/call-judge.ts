import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { Outcome, Stamps } from '../journal/exchange.ts';
import type { BuiltRequest } from '../wire/request.ts';

/** A reverse call when it is sent, with its exact bytes. */
interface SentCall {
  /** The id of the exchange in the log. */
  readonly id: number;
  readonly call: CallName;
  readonly extCID: string;
  readonly sessionID: string;
  /** The player of the game session; null if the session is not known any more. The same holds for `currency`. */
  readonly player: string | null;
  readonly currency: string | null;
  readonly request: BuiltRequest;
  /** For a refund whose bet was never sent: the `txID` of this bet. Null for every other call. */
  readonly unsentBet: string | null;
}

/** A finding about one reverse call. */
export interface CallFinding {
  /** The id of the rule. Null for a wrong balance that no call explains, because such a balance breaks no rule. */
  readonly rule: RuleId | null;
  readonly verdict: 'fail' | 'warn' | 'note' | 'pass';
  /** The facts, such as "the balance is 980.00, but must be 990.00". Empty for a pass. */
  readonly text: string;
}

/** The balance in the reply to a call, and the balance that the contract requires. */
export interface CallBalance {
  /** The balance in the reply; null if the reply has none. */
  readonly said: Money | null;
  /** Every balance that is possible if the operator kept the contract; null if croupier does not know these balances. */
  readonly expected: readonly Money[] | null;
  /** `unknown` if the balance was not compared. */
  readonly result: 'right' | 'wrong' | 'unknown';
}

/**
 * Receives the results of a `CallJudge`. They may come later than the reply, because calls that are in flight at the same time
 * are judged together.
 */
export interface JudgementSink {
  readonly onFinding: (id: number, finding: CallFinding) => void;
  readonly onBalance: (id: number, balance: CallBalance) => void;
}

/** Judges the reverse calls of the service. */
export interface CallJudge {
  readonly sent: (call: SentCall) => void;
  readonly ended: (id: number, end: { readonly outcome: Outcome; readonly stamps: Stamps }) => void;
  /** Is called when the balance of a player was changed on purpose, by something that is not a call. */
  readonly balanceChanged: (wallet: { extCID: string; player: string; currency: string }) => void;
}
