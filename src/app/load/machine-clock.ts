import type { History } from '../../history/history.ts';
import { timeOf } from '../../history/loads.ts';
import type { JobStore } from '../history/job-store.ts';

const SAMPLES = 3;

/** Returns the time of this process in ms since 1970. Unlike the time of day, it never jumps. */
export function localTime(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Returns by how many ms the clock of the database is ahead of the clock of this process. With this difference, all machines can
 * begin at the same moment, although their clocks differ.
 */
export async function clockOffset(store: JobStore, signal: AbortSignal): Promise<number> {
  let best = { tookMs: Number.POSITIVE_INFINITY, offset: 0 };
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const found = await store.untilDone(async (history: History) => {
      const before = localTime();
      const now = await timeOf(history);
      const after = localTime();
      return { tookMs: after - before, offset: now - (before + after) / 2 };
    }, signal);
    if (found.tookMs < best.tookMs) best = found;
  }
  return best.offset;
}
