import type { RecordedCall } from '../recorded-call.ts';

/** Maximum precision in ms of the times to compare. With coarser times, two different calls can look the same. */
const COARSEST_MS = 10;

/**
 * Some log collectors deliver an entry twice. Leaves out the second copy of such an entry in one file. Two entries are doubles
 * if everything in them is equal: the time, the duration, the request and the reply.
 */
export function withoutDoubles(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  /** The calls by a part of what must be equal, which is enough to tell most calls apart. */
  const seen = new Map<string, RecordedCall[]>();
  return calls.filter((call) => {
    const { place, time, tookMs } = call.exchange;
    if (time === null || time.precisionMs > COARSEST_MS || tookMs === null || call.exchange.isOfRun) return true;
    const key = `${place.file} ${time.ms} ${tookMs} ${call.txID}`;
    const alike = seen.get(key);
    if (!alike) {
      seen.set(key, [call]);
      return true;
    }
    const text = contentOf(call);
    if (alike.some((other) => contentOf(other) === text)) return false;
    alike.push(call);
    return true;
  });
}

function contentOf({ exchange: { request, answer, logged } }: RecordedCall): string {
  return JSON.stringify([request, answer, logged]);
}
