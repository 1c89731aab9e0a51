import type { RecordedCall } from '../recorded-call.ts';

/**
 * Maximum precision in ms of the times to compare. With coarser times, two different calls can look the same if the log shows
 * neither their `txID` nor how long they took.
 */
const COARSEST_MS = 10;

/**
 * Leaves out the second copy of an entry that the logs of one side contain twice. Some log collectors deliver an entry twice, and
 * rotated files may overlap. Two entries are the same if the time, the duration, the request and the reply are equal.
 */
export function withoutDoubles(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  /** The calls by a key of some of the values that must be equal. Only calls with the same key need to be compared. */
  const seen = new Map<string, RecordedCall[]>();
  return calls.filter((call) => {
    const { side, time, tookMs } = call.exchange;
    if (time === null || call.exchange.isOfRun) return true;
    if (time.precisionMs > COARSEST_MS && (call.txID === null || tookMs === null || tookMs === 0)) return true;
    // Without a duration, two balance calls of the same time may be two calls.
    if (tookMs === null && call.txID === null) return true;
    const key = `${side} ${time.ms} ${tookMs} ${call.txID}`;
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
