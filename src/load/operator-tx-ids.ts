import type { LoadTransaction } from './wallet.ts';

/** Number of txIDs that are kept. It is a power of two. */
const MAX_KEPT = 16_384;
/** Longer txIDs are not compared, so that the memory has a limit. */
const MAX_LENGTH = 200;

/** A txID of the operator, and the txID of the transaction that got it. */
interface Kept {
  readonly operatorTxID: string;
  readonly txID: string;
}

/**
 * Finds two bets or wins that got the same txID from the operator. Each txID has one place in a table, and a later txID with the
 * same place replaces it. So the memory does not grow with the test. Some pairs with many other transactions between them are not
 * found, but a pair that is found is always a pair.
 */
export class OperatorTxIDs {
  readonly #kept: (Kept | undefined)[] = Array.from({ length: MAX_KEPT }, () => undefined);

  /** Notes the txID that the operator gave to a transaction. @returns the txID of another transaction that got the same one */
  take({ txID, operatorTxID = '' }: LoadTransaction): string | undefined {
    if (operatorTxID === '' || operatorTxID.length > MAX_LENGTH) return undefined;
    const place = placeOf(operatorTxID);
    const earlier = this.#kept[place];
    this.#kept[place] = { operatorTxID, txID };
    return earlier?.operatorTxID === operatorTxID && earlier.txID !== txID ? earlier.txID : undefined;
  }
}

/** Returns a place from 0 to below `MAX_KEPT` that depends on every character (FNV-1a). */
function placeOf(text: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return (hash ^ (hash >>> 15)) & (MAX_KEPT - 1);
}
