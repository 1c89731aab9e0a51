import type { LoadTransaction } from './wallet.ts';

/** Number of txIDs that are kept. It is a power of two. */
const MAX_KEPT = 16_384;
/** Longer txIDs are not compared, so that the memory has a limit. */
const MAX_LENGTH = 100;
/** Length of croupier's own txIDs. */
const OWN_LENGTH = 36;
const SPACE = 0x20;
/**
 * Finds two bets or wins that got the same txID from the operator. Each txID has one place in a table, and a later txID with the
 * same place replaces it. So the memory does not grow with the test. If there are many other transactions between the two, croupier
 * may not find the two. But croupier never reports two transactions whose txIDs differ.
 *
 * The texts are kept as numbers. Thousands of kept strings would be moved again and again by the garbage collector.
 */
export class OperatorTxIDs {
  /** The UTF-16 codes of the operator's txID at each place. */
  readonly #kept = new Uint16Array(MAX_KEPT * MAX_LENGTH);
  /** The ASCII codes of the txID of the transaction that got it. */
  readonly #own = new Uint8Array(MAX_KEPT * OWN_LENGTH);
  /** The hash of the txID at each place, and its length; the length 0 if there is none. */
  readonly #hashes = new Int32Array(MAX_KEPT);
  readonly #lengths = new Uint8Array(MAX_KEPT);

  /** Notes the txID that the operator gave to a transaction. @returns the txID of another transaction that got the same one */
  take({ txID, operatorTxID = '' }: LoadTransaction): string | undefined {
    const { length } = operatorTxID;
    if (length === 0 || length > MAX_LENGTH) return undefined;
    const hash = hashOf(operatorTxID);
    const place = (hash ^ (hash >>> 15)) & (MAX_KEPT - 1);
    const isMaybeSame = this.#lengths[place] === length && this.#hashes[place] === hash;
    const earlier = isMaybeSame ? this.#ownAt(place, operatorTxID) : undefined;
    this.#hashes[place] = hash;
    this.#lengths[place] = length;
    const start = place * MAX_LENGTH;
    const own = place * OWN_LENGTH;
    for (let at = 0; at < length; at += 1) this.#kept[start + at] = operatorTxID.charCodeAt(at);
    for (let at = 0; at < OWN_LENGTH; at += 1) this.#own[own + at] = at < txID.length ? txID.charCodeAt(at) : SPACE;
    return earlier === txID ? undefined : earlier;
  }

  /**
   * Returns the txID of the transaction at this place. Returns undefined if the operator's txID at this place is a different one.
   */
  #ownAt(place: number, operatorTxID: string): string | undefined {
    const start = place * MAX_LENGTH;
    for (let at = 0; at < operatorTxID.length; at += 1)
      if (this.#kept[start + at] !== operatorTxID.charCodeAt(at)) return undefined;
    const own = place * OWN_LENGTH;
    return String.fromCharCode(...this.#own.subarray(own, own + OWN_LENGTH)).trimEnd();
  }
}

/** Returns a number that depends on every character (FNV-1a). */
function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash | 0;
}
