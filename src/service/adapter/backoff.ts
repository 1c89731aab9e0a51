/** How long the adapter waits before it sends an owed call again. */
export interface Backoff {
  /** Before the first retry, in milliseconds. */
  readonly initialMs: number;
  /** By how much each wait is longer than the one before it. */
  readonly factor: number;
  /** No wait is longer, in milliseconds. */
  readonly maxMs: number;
  /** The part of a wait that chance may take away, from 0 to 1, so that not all retries strike at the same moment. */
  readonly jitter: number;
}

/** Half a second at first, twice as long each time, at most a minute. */
export const DEFAULT_BACKOFF: Backoff = { initialMs: 500, factor: 2, maxMs: 60_000, jitter: 0.2 };

/**
 * The wait before the next try.
 *
 * @param failed how many tries have failed, at least 1
 * @param random from 0 up to 1
 * @returns milliseconds
 */
export function waitMs({ initialMs, factor, maxMs, jitter }: Backoff, failed: number, random: () => number): number {
  const full = Math.min(maxMs, initialMs * factor ** (failed - 1));
  return full * (1 - jitter * random());
}
