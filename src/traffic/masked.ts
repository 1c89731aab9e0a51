/**
 * Matches a value that the writer of a log has masked, wholly or in part: `***`, `4711****`, `[Redacted]`, `<hidden>`, `xxxxxxxx`.
 */
const MASKED =
  /[*•█]{3}|^[<[({]{0,2}(?:redacted|filtered|masked|hidden|removed|secret|sanitized|scrubbed|omitted|private)[>\])}]{0,2}$|^[x#.]{4,}$/i;

/** True for a masked value. Two equal masked values can stand for different values. */
export function isMasked(text: string): boolean {
  return MASKED.test(text);
}
