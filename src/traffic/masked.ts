/**
 * Matches a value that the writer of a log has masked, wholly or in part: `***`, `4711****`, `[Redacted]`, `<hidden>`, `xxxxxxxx`,
 * `0c9e1d20-xxxx-xxxx`.
 */
const MASKED =
  /[*•█]{3}|(?:x{4}|#{4})|^[<[({]{0,2}(?:redacted|filtered|masked|hidden|removed|secret|sanitized|scrubbed|omitted|private)[>\])}]{0,2}$|^[x#.]{4,}$/i;

/** Matches the mark of a value that the writer of a log has shortened: `s-77…`, `s-77...[truncated]`. */
const SHORTENED = /…|\.{3}/;

/** Matches most ids and amounts. None of them is masked, and one test needs less time than the others. */
const PLAIN = /^\d[\da-wyzA-WYZ_:-]*(?:\.\d+)?$/;

/** True for a masked or shortened value. Two equal masked values can stand for different values. */
export function isMasked(text: string): boolean {
  if (PLAIN.test(text)) return false;
  // Three dots in a sentence do not mean that a value was shortened. So a text with spaces or line breaks does not count as
  // shortened.
  return MASKED.test(text) || (SHORTENED.test(text) && !/\s/.test(text));
}
