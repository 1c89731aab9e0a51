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

/** The first accepted transactions of a run, by wallet: one of each kind is enough. */
export class History {
  readonly #earliest = new Map<string, PastTransaction>();

  keep(walletID: string, kind: Kind, transaction: PastTransaction): void {
    const key = `${kind} ${walletID}`;
    if (!this.#earliest.has(key)) this.#earliest.set(key, transaction);
  }

  earliest(walletID: string, kind: Kind): PastTransaction | undefined {
    return this.#earliest.get(`${kind} ${walletID}`);
  }
}
