import type { TransactionCall } from '../contract/call-name.ts';
import type { Money } from '../contract/money.ts';
import type { ReplyReading } from '../reply/read.ts';
import type { BuiltRequest } from '../wire/request.ts';

/** A call that the operator accepted. croupier can send this call again much later. */
export interface AcceptedCall {
  readonly request: BuiltRequest;
  /** The amount in the body, as text. Undefined if the amount is not a plain decimal. */
  readonly amount: string | undefined;
  readonly reply: ReplyReading;
  /** The amount that the call moved. It is negative for a bet. */
  readonly effect: Money;
}

/**
 * Keeps the first accepted call of each kind in each wallet of a run. Removes a bet when it is refunded: the contract allows any
 * answer to the repetition of such a bet, so the answer would show nothing.
 */
export class AcceptedCalls {
  readonly #earliest = new Map<string, AcceptedCall>();
  /** The key in `#earliest` of each kept bet, by txID. */
  readonly #bets = new Map<string, string>();

  keep(walletID: string, call: TransactionCall, txID: string, accepted: AcceptedCall): void {
    const key = `${call} ${walletID}`;
    if (this.#earliest.has(key)) return;
    this.#earliest.set(key, accepted);
    if (call === 'bet') this.#bets.set(txID, key);
  }

  /** Removes a bet because a refund of this bet was sent. */
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
