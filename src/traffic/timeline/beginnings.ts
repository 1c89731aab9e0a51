import type { RecordedCall } from '../recorded-call.ts';

/**
 * Maximum duration in ms of the calls to compare. During a longer call, the service may stop waiting and send the next call, so
 * these two calls can really overlap.
 */
const MAX_MS = 1000;
/** Maximum precision in ms of the times to compare. Coarser times do not show which calls overlapped. */
const COARSEST_MS = 10;
const FEWEST_OVERLAPS = 2;

/**
 * Sets the time of each call to its beginning, because many programs log the end of a call as its time. Decides for each file
 * whether its times are beginnings or ends: if the calls of a player overlap when the times are read as beginnings, but not when
 * they are read as ends, the times are ends.
 */
export function withBeginnings(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  const files = Map.groupBy(calls.filter(mayBeEnd), ({ exchange }) => exchange.place.file);
  const ending = new Set([...files].filter(([, mine]) => areEnds(mine)).map(([file]) => file));
  if (ending.size === 0) return calls;
  return calls.map((call) => {
    const { time, tookMs, place } = call.exchange;
    if (!ending.has(place.file) || !mayBeEnd(call) || time === null) return call;
    return { ...call, exchange: { ...call.exchange, time: { ...time, ms: time.ms - (tookMs ?? 0) } } };
  });
}

function mayBeEnd({ exchange: { time, tookMs } }: RecordedCall): boolean {
  return time?.mayBeEnd === true && tookMs !== null && time.precisionMs <= COARSEST_MS;
}

function areEnds(calls: readonly RecordedCall[]): boolean {
  let [starting, ending] = [0, 0];
  const short = calls.filter(({ exchange }) => (exchange.tookMs ?? 0) <= MAX_MS);
  for (const mine of Map.groupBy(short, ({ player, sessionID }) => player ?? sessionID).values()) {
    const spans = mine
      .map(({ exchange: { time, tookMs } }) => ({
        at: time?.ms ?? 0,
        took: tookMs ?? 0,
        grain: time?.precisionMs ?? 1,
      }))
      .toSorted((a, b) => a.at - b.at);
    for (const [index, next] of spans.entries()) {
      const before = spans[index - 1];
      if (!before) continue;
      if (next.at < before.at + before.took - next.grain) starting += 1;
      if (next.at - next.took < before.at - next.grain) ending += 1;
    }
  }
  return starting >= FEWEST_OVERLAPS && ending * 2 < starting;
}
