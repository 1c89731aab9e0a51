/** The waiting times before a win or refund is sent again. */
export interface Backoff {
  /** The wait before the first retry, in milliseconds. */
  readonly initialMs: number;
  /** The factor by which each wait is longer than the wait before it. */
  readonly factor: number;
  /** The longest wait, in milliseconds. */
  readonly maxMs: number;
  /** The fraction of a wait, from 0 to 1, that is chosen at random. So the retries are not all sent at the same moment. */
  readonly jitter: number;
}

/** Waits half a second before the first retry, twice as long before each further retry, and at most a minute. */
export const DEFAULT_BACKOFF: Backoff = { initialMs: 500, factor: 2, maxMs: 60_000, jitter: 0.2 };

/**
 * Returns the wait before the next attempt, in milliseconds.
 *
 * @param failed the number of failed attempts, at least 1
 * @param random returns a number from 0 (included) to 1 (excluded)
 */
export function waitMs({ initialMs, factor, maxMs, jitter }: Backoff, failed: number, random: () => number): number {
  const full = Math.min(maxMs, initialMs * factor ** (failed - 1));
  return full * (1 - jitter * random());
}
