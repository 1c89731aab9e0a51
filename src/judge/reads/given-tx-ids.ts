import type { ObservedCall } from '../observed-call.ts';

/** Maximum number of ids that are kept, of the calls of a long run. */
const MAX_IDS = 10_000;

/**
 * The operator's txIDs in the replies to the bets and wins of a run. All scenarios of a run share this object.
 *
 * A wallet may take a new bet for a repeated one, for example because the player bet the same amount a moment ago. Then it answers
 * with the stored reply to the earlier bet, and the balance in this reply is not the current balance.
 */
export class GivenTxIDs {
  /** The txID of the call, by the kind of the call and the operator's txID. */
  readonly #calls = new Map<string, string>();

  /**
   * Records the reply to an accepted call.
   *
   * @param txID the txID of the call
   * @returns true if another call of the same kind has got the same operator txID before
   */
  isGivenBefore({ planned: { step }, reading, answer }: ObservedCall, txID: string | undefined): boolean {
    const given = reading?.txID;
    if (answer !== 'accepted' || !given || txID === undefined || (step.call !== 'bet' && step.call !== 'win'))
      return false;
    const key = `${step.call} ${given}`;
    const owner = this.#calls.get(key);
    if (owner === undefined && this.#calls.size < MAX_IDS) this.#calls.set(key, txID);
    return owner !== undefined && owner !== txID;
  }
}
