/**
 * The user asked for something that can't be done as asked: exit status 2, nothing was sent. The message says what to do;
 * it may have several lines.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
