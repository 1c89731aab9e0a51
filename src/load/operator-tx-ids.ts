import type { LoadTransaction } from './wallet.ts';

/** Number of txIDs that are kept. It is a power of two. */
const MAX_KEPT = 16_384;
/** Longer txIDs are not compared, so that the memory has a limit. */
const MAX_LENGTH = 100;
/** Length of croupier's own txIDs. */
const OWN_LENGTH = 36;
/** The bytes of an entry: the hash, the length, croupier's own txID, and the operator's txID. */
const LENGTH_AT = 4;
const OWN_AT = 8;
const TEXT_AT = OWN_AT + OWN_LENGTH;
const ENTRY = TEXT_AT + MAX_LENGTH;
const MAX_CODE = 0xff;
const SPACE = 0x20;

/**
 * Finds two bets or wins that got the same txID from the operator. Each txID has one place in a table, and a later txID with the
 * same place replaces it. So the memory does not grow with the test. If there are many other transactions between the two, croupier
 * may not find the two. But croupier never reports two transactions whose txIDs differ. A txID with characters that need more than
 * one byte is not compared.
 *
 * The texts are kept as bytes. Thousands of kept strings would be moved again and again by the garbage collector. All bytes of an
 * entry are next to each other, because the processor needs a long time to fetch each place of so large a table.
 */
export class OperatorTxIDs {
  readonly #entries = Buffer.alloc(MAX_KEPT * ENTRY);

  /** Notes the txID that the operator gave to a transaction. @returns the txID of another transaction that got the same one */
  take({ txID, operatorTxID = '' }: LoadTransaction): string | undefined {
    const { length } = operatorTxID;
    if (length === 0 || length > MAX_LENGTH) return undefined;
    const hash = hashOf(operatorTxID);
    if (hash === undefined) return undefined;
    const entries = this.#entries;
    const entry = ((hash ^ (hash >>> 15)) & (MAX_KEPT - 1)) * ENTRY;
    const isMaybeSame = entries[entry + LENGTH_AT] === length && entries.readInt32LE(entry) === hash;
    const earlier = isMaybeSame ? this.#ownAt(entry, operatorTxID) : undefined;
    entries.writeInt32LE(hash, entry);
    entries[entry + LENGTH_AT] = length;
    for (let at = 0; at < OWN_LENGTH; at += 1)
      entries[entry + OWN_AT + at] = at < txID.length ? txID.charCodeAt(at) : SPACE;
    for (let at = 0; at < length; at += 1) entries[entry + TEXT_AT + at] = operatorTxID.charCodeAt(at);
    return earlier === txID ? undefined : earlier;
  }

  /** Returns croupier's txID of an entry. Returns undefined if the operator's txID of the entry is a different one. */
  #ownAt(entry: number, operatorTxID: string): string | undefined {
    const entries = this.#entries;
    for (let at = 0; at < operatorTxID.length; at += 1)
      if (entries[entry + TEXT_AT + at] !== operatorTxID.charCodeAt(at)) return undefined;
    return entries.toString('latin1', entry + OWN_AT, entry + TEXT_AT).trimEnd();
  }
}

/** Returns a number that depends on every character (FNV-1a). Returns undefined if a character needs more than one byte. */
function hashOf(text: string): number | undefined {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > MAX_CODE) return undefined;
    hash = Math.imul(hash ^ code, 16_777_619);
  }
  return hash | 0;
}
