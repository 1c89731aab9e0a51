import type { CallName } from '../../contract/call-name.ts';
import type { ReplyReading } from '../../reply/read.ts';
import { isSuccess } from '../../reply/status.ts';
import type { ObservedCall } from '../observed-call.ts';

/** Maximum number of ids that are kept, of the calls of a long run. */
const MAX_IDS = 10_000;

/** A wallet mixes up calls if it has answered this number of calls with the stored reply to a call of another kind. */
const ENOUGH_MIXED_UP = 2;

/** The first call of a run whose reply contained a certain operator txID. */
interface FirstReply {
  readonly call: CallName;
  /** The txID of the call. */
  readonly txID: string;
  /** The balance in the reply, as the operator wrote it. */
  readonly balance: string | undefined;
}

/** The first refund of a run whose reply contained a certain operator txID. */
interface FirstRefund {
  /** The txID of the refund. */
  readonly txID: string;
  readonly roundID: string | null;
}

/**
 * The operator's txIDs in the replies of a run. All scenarios of a run share this object.
 *
 * A wallet may take a new bet for a repeated one, for example because the player bet the same amount a moment ago. Then it answers
 * with the stored reply to the earlier bet, and the balance in this reply is not the current balance.
 */
export class GivenTxIDs {
  /** The txID of the call, by the kind of the call and the operator's txID. */
  readonly #calls = new Map<string, string>();
  /** The first replies to calls of any kind, by the operator's txID. */
  readonly #replies = new Map<string, FirstReply>();
  /** The first refunds, by the operator's txID. */
  readonly #refunds = new Map<string, FirstRefund>();
  #mixedUp = 0;

  /**
   * True if the wallet has answered several calls with the stored replies to calls of other kinds. Then it may take any call for
   * another one. croupier may not know the other call, for example because its connection broke before the reply.
   */
  get mixesUpCalls(): boolean {
    return this.#mixedUp >= ENOUGH_MIXED_UP;
  }

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

  /**
   * Records the reply to an accepted refund.
   *
   * @returns true if another refund with the same `roundID` (or also without one) has got the same operator txID before. So the
   * operator seems to recognise repeated calls by their round
   */
  isReplyToOtherOfRound({ planned: { step }, reading, answer }: ObservedCall): boolean {
    const { txID, roundID } = step;
    const given = reading?.txID;
    if (step.call !== 'refund' || answer !== 'accepted' || !given || txID === null) return false;
    const first = this.#refunds.get(given);
    if (first === undefined && this.#refunds.size < MAX_IDS) this.#refunds.set(given, { txID, roundID });
    return first !== undefined && first.txID !== txID && first.roundID === roundID;
  }

  /**
   * Records the reply to a call. Returns true if it is the stored reply to a call of another kind: it has the same operator txID and
   * the same balance. So the operator took this call for the other call.
   *
   * @param txID the txID of the call
   */
  isReplyToOtherKind(call: CallName, txID: string | null | undefined, reading: ReplyReading | undefined): boolean {
    if (!txID || !reading?.txID || !isSuccess(reading.status)) return false;
    const balance = reading.balance.written;
    const first = this.#replies.get(reading.txID);
    if (first === undefined && this.#replies.size < MAX_IDS) this.#replies.set(reading.txID, { call, txID, balance });
    if (first === undefined || first.call === call || first.txID === txID || first.balance !== balance) return false;
    this.#mixedUp += 1;
    return true;
  }
}
