import type { TransactionCall } from '../contract/call-name.ts';
import type { Money } from '../contract/money.ts';
import type { ReplyReading } from '../reply/read.ts';
import type { BuiltRequest } from '../wire/request.ts';

/** A call that the operator accepted, and that can be sent again much later. */
export interface AcceptedCall {
  readonly request: BuiltRequest;
  /** The amount in its body, as text. */
  readonly amount: string | undefined;
  readonly reply: ReplyReading;
  /** The sum that it moved: negative for a bet. */
  readonly effect: Money;
}

/**
 * The first accepted call of each kind in each wallet of a run. A refunded bet is removed: the operator may answer its repetition
 * as it likes, as long as the repetition takes nothing.
 */
export class AcceptedCalls {
  readonly #earliest = new Map<string, AcceptedCall>();
  /** By txID of a kept bet: its key in `#earliest`. */
  readonly #bets = new Map<string, string>();

  keep(walletID: string, call: TransactionCall, txID: string, accepted: AcceptedCall): void {
    const key = `${call} ${walletID}`;
    if (this.#earliest.has(key)) return;
    this.#earliest.set(key, accepted);
    if (call === 'bet') this.#bets.set(txID, key);
  }

  /** Removes a bet because a refund of it was sent. */
  remove(betTxID: string): void {
    const key = this.#bets.get(betTxID);
    if (key === undefined) return;
    this.#bets.delete(betTxID);
    this.#earliest.delete(key);
  }

  earliest(walletID: string, call: TransactionCall): AcceptedCall | undefined {
    return this.#earliest.get(`${call} ${walletID}`);
  }
}
