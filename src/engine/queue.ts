import type { Exchange } from '../journal/exchange.ts';

/** After so many deadlines an operator is no longer waited for. */
const MOST_DEADLINES = 3;

/**
 * How long calls at once that were given up may still be waited for in the operator's queue, in ms. Who takes them one after
 * the other, by a lock of the player or of the `txID`, would let the next call wait behind them, and be blamed for that.
 */
export function queueMs(exchanges: readonly Exchange[], deadlineMs: number): number {
  const late = exchanges.filter(({ outcome }) => outcome.kind === 'none' && outcome.reason === 'too-late').length;
  const answered = exchanges.filter(({ outcome }) => outcome.kind === 'reply').length;
  if (late === 0) return 0;
  // In the deadline so many were done, so that the others take as long each.
  return Math.min(MOST_DEADLINES * deadlineMs, (late * deadlineMs) / Math.max(1, answered));
}
