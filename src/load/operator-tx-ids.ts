import type { LoadTransaction } from './wallet.ts';

/** Number of txIDs that are kept. It is a power of two. */
const MAX_KEPT = 16_384;
/** Longer txIDs are not compared, so that the memory has a limit. */
const MAX_LENGTH = 100;
/** Length of croupier's own txIDs. */
const OWN_LENGTH = 36;
/** The bytes of an entry: the operator's txID, and croupier's own txID. */
const OWN_AT = MAX_LENGTH;
const ENTRY = OWN_AT + OWN_LENGTH;
const MAX_CODE = 0xff;
const SPACE = 0x20;

/**
 * Finds two bets or wins that got the same txID from the operator. Only the latest txIDs are kept, and a txID replaces an earlier one
 * whose hash has the same last bits. So the memory does not grow with the test. If there are many other transactions between the two,
 * croupier may not find the two. But croupier never reports two transactions whose txIDs differ. A txID with characters that need
 * more than one byte is not compared.
 *
 * The texts are kept as bytes. Thousands of kept strings would be moved again and again by the garbage collector. The entries are
 * written in turn, because the processor needs a long time to fetch a place of so large a table that it can't foresee.
 */
export class OperatorTxIDs {
  readonly #entries = Buffer.alloc(MAX_KEPT * ENTRY);
  /** The length of the operator's txID in each entry. */
  readonly #lengths = new Uint8Array(MAX_KEPT);
  /** The number of the entry that was written last, for each value of the last bits of a hash. */
  readonly #latest = new Uint16Array(MAX_KEPT);
  /** The hash of the operator's txID in each entry. */
  readonly #hashes = new Int32Array(MAX_KEPT);
  #next = 0;

  /** Notes the txID that the operator gave to a transaction. @returns the txID of another transaction that got the same one */
  take({ txID, operatorTxID = '' }: LoadTransaction): string | undefined {
    const { length } = operatorTxID;
    if (length === 0 || length > MAX_LENGTH) return undefined;
    const hash = this.#write(operatorTxID);
    if (hash === undefined) return undefined;
    const number = this.#next;
    const place = (hash ^ (hash >>> 15)) & (MAX_KEPT - 1);
    const latest = this.#latest[place] as number;
    const isMaybeSame = latest !== number && this.#hashes[latest] === hash && this.#lengths[latest] === length;
    const earlier = isMaybeSame && this.#isSame(latest, number, length) ? this.#ownOf(latest) : undefined;
    const entries = this.#entries;
    const own = number * ENTRY + OWN_AT;
    for (let at = 0; at < OWN_LENGTH; at += 1) entries[own + at] = at < txID.length ? txID.charCodeAt(at) : SPACE;
    this.#hashes[number] = hash;
    this.#lengths[number] = length;
    this.#latest[place] = number;
    this.#next = (number + 1) & (MAX_KEPT - 1);
    return earlier === txID ? undefined : earlier;
  }

  /**
   * Writes the operator's txID to the next entry.
   *
   * @returns a number that depends on every character (FNV-1a). Undefined if a character needs more than one byte
   */
  #write(operatorTxID: string): number | undefined {
    const entries = this.#entries;
    const number = this.#next;
    const entry = number * ENTRY;
    // The earlier txID of this entry is lost.
    this.#lengths[number] = 0;
    let hash = 2_166_136_261 | 0;
    for (let at = 0; at < operatorTxID.length; at += 1) {
      const code = operatorTxID.charCodeAt(at);
      if (code > MAX_CODE) return undefined;
      hash = Math.imul(hash ^ code, 16_777_619);
      entries[entry + at] = code;
    }
    return hash;
  }

  /** True if two entries have the same operator's txID. */
  #isSame(one: number, other: number, length: number): boolean {
    const entries = this.#entries;
    return entries.compare(entries, one * ENTRY, one * ENTRY + length, other * ENTRY, other * ENTRY + length) === 0;
  }

  /** Returns croupier's txID of an entry. */
  #ownOf(number: number): string {
    return this.#entries.toString('latin1', number * ENTRY + OWN_AT, (number + 1) * ENTRY).trimEnd();
  }
}
