/**
 * Matches a word that every call about money contains: the name of a call, or the name of a field that only the calls of the
 * service have.
 */
const CALL = /\b(?:bet|win|refund|balance)\b/i;
const FIELD = /\b(?:sessionID|txID|origTxID|roundID)\b/i;
/** Matches the method and the path of a call. */
const REQUEST = /\b(?:GET|POST)\b.{0,300}\/(?:bet|win|refund|balance)\b/;
/** Matches an amount with decimals, or the beginning of a UUID. */
const VALUE = /\d\.\d\d?(?!\.?\d)|[0-9a-f]{8}-[0-9a-f]{4}-/i;

/**
 * True if a line that can't be read may be a call. Such a line is the beginning of a JSON object, or contains the name of a call
 * and also an amount, an id, or the method and the path of a request.
 *
 * @param text null if the entry is not one line, for example a compressed file that is incomplete; such an entry may contain any
 * number of calls
 */
export function mayBeCall(text: string | null): boolean {
  if (text === null || text.trimStart().startsWith('{')) return true;
  return FIELD.test(text) || REQUEST.test(text) || (CALL.test(text) && VALUE.test(text));
}
