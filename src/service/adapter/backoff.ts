/** The waits before an owed call is sent again. */
export interface Backoff {
  /** Before the first retry, in milliseconds. */
  readonly initialMs: number;
  /** The factor between one wait and the next. */
  readonly factor: number;
  /** The longest wait, in milliseconds. */
  readonly maxMs: number;
  /** The part of a wait that is random, from 0 to 1, so that not all retries are sent at the same moment. */
  readonly jitter: number;
}

/** Half a second at first, twice as long each time, at most a minute. */
export const DEFAULT_BACKOFF: Backoff = { initialMs: 500, factor: 2, maxMs: 60_000, jitter: 0.2 };

/**
 * The wait before the next attempt.
 *
 * @param failed the number of attempts that failed, at least 1
 * @param random from 0 up to 1
 * @returns milliseconds
 */
export function waitMs({ initialMs, factor, maxMs, jitter }: Backoff, failed: number, random: () => number): number {
  const full = Math.min(maxMs, initialMs * factor ** (failed - 1));
  return full * (1 - jitter * random());
}
