import type { Money } from '../contract/money.ts';
import type { ReplyReading } from '../judge/reading.ts';
import type { BuiltRequest } from '../wire/request.ts';

/** A transaction that the operator has accepted, and that may be sent again much later. */
export interface PastTransaction {
  readonly request: BuiltRequest;
  readonly reply: ReplyReading;
  /** The sum that it moved, signed. */
  readonly effect: Money;
}

/** The calls that move money. */
export type Kind = 'bet' | 'win' | 'refund';

/**
 * The first accepted transactions of a run, by wallet: one of each kind is enough. A bet that is given back is none of them:
 * how that is answered when it comes again is up to the operator, as long as it takes nothing.
 */
export class History {
  readonly #earliest = new Map<string, PastTransaction>();
  /** By the bet's txID: where it is kept. */
  readonly #bets = new Map<string, string>();

  keep(walletID: string, kind: Kind, txID: string, transaction: PastTransaction): void {
    const key = `${kind} ${walletID}`;
    if (this.#earliest.has(key)) return;
    this.#earliest.set(key, transaction);
    if (kind === 'bet') this.#bets.set(txID, key);
  }

  /** A refund of a bet was sent. */
  giveBack(betTxID: string): void {
    const key = this.#bets.get(betTxID);
    if (key === undefined) return;
    this.#bets.delete(betTxID);
    this.#earliest.delete(key);
  }

  earliest(walletID: string, kind: Kind): PastTransaction | undefined {
    return this.#earliest.get(`${kind} ${walletID}`);
  }
}
