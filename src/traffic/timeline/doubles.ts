import type { RecordedCall } from '../recorded-call.ts';

/** Maximum precision in ms of the times to compare. With coarser times, two calls can look alike. */
const COARSEST_MS = 10;

/**
 * Leaves out log entries that are there twice in one file, because a log shipper delivered them twice. Two entries are doubles if
 * everything in them is equal: the time, the duration, the request and the reply.
 */
export function withoutDoubles(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  const seen = new Set<string>();
  return calls.filter(({ exchange }) => {
    const { place, time, tookMs, request, answer, logged } = exchange;
    if (time === null || time.precisionMs > COARSEST_MS || tookMs === null || exchange.isOfRun) return true;
    const text = JSON.stringify([place.file, time.ms, tookMs, request, answer, logged]);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
