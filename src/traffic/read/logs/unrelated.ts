import { hasPairs } from './wrapped.ts';

/**
 * Matches what each line of text about a call has, if it has neither the slash of a path nor the brace of a body: the name of a call,
 * or the status of a reply after a word that announces it. The last words are those of Rails.
 */
const PART_OF_CALL =
  /balance|bet|win|refund|(?:<-|<<|response|reply|answered|responded|received)[^\d<{]{0,22}[1-5]\d\d|[1-5]\d\d ?<|Parameters: |Completed |Processing by /i;

/**
 * True for a line of text that certainly is no part of a call. Most lines of the log of a program are such lines, and this test
 * takes much less time than trying to read them.
 */
export function isUnrelated(line: string): boolean {
  return !line.includes('/') && !line.includes('{') && !PART_OF_CALL.test(line) && !hasPairs(line);
}
