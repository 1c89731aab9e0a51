import { type Fields, isFields, parsed } from '../../json-fields.ts';
import type { SentIDs } from '../../logged-exchange.ts';
import { isMasked } from '../../masked.ts';

/** Maximum number of objects around a body. */
const MAX_DEPTH = 6;

/**
 * Finds the body of a bet, a win or a refund anywhere in an entry of a log. Returns its ids, or undefined if there is no such body.
 * The entry may be about a call although its other fields are unknown.
 */
export function sentIn(value: unknown, depth = 0): SentIDs | undefined {
  if (typeof value === 'string')
    return value.includes('"txID"') && value.startsWith('{') ? sentIn(parsed(value), depth) : undefined;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined;
  const ids = isFields(value) ? idsOf(value) : undefined;
  if (ids) return ids;
  for (const inner of Object.values(value)) {
    const found = sentIn(inner, depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** Returns the ids of the body of a call. A reply has a balance, and its `txID` is another one. */
function idsOf({ sessionID, txID, amount, roundID, origTxID, balance }: Fields): SentIDs | undefined {
  if (typeof sessionID !== 'string' || typeof txID !== 'string' || amount === undefined) return undefined;
  if ((roundID ?? origTxID) === undefined || balance !== undefined || isMasked(txID)) return undefined;
  return { sessionID, txID };
}
