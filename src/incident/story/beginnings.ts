import type { SeenCall } from '../seen-call.ts';

/** Longer calls do overlap with what the service sends once it has given them up. */
const LONGEST_MS = 1000;
/** Written more coarsely, times tell nothing about which calls overlapped. */
const COARSEST_MS = 10;
const FEWEST_OVERLAPS = 2;

/**
 * Puts calls where they began. Many programs write a line once a call is over, with the time of then: taken for its beginning, one
 * player's calls would overlap all the time, each with the next. Where they do in a file, and would not if its times were those of the
 * ends, the ends is what they are.
 */
export function withBeginnings(calls: readonly SeenCall[]): readonly SeenCall[] {
  const files = Map.groupBy(calls.filter(mayBeEnd), ({ exchange }) => exchange.place.file);
  const ending = new Set([...files].filter(([, mine]) => areEnds(mine)).map(([file]) => file));
  if (ending.size === 0) return calls;
  return calls.map((call) => {
    const { time, tookMs, place } = call.exchange;
    if (!ending.has(place.file) || !mayBeEnd(call) || time === null) return call;
    return { ...call, exchange: { ...call.exchange, time: { ...time, ms: time.ms - (tookMs ?? 0) } } };
  });
}

function mayBeEnd({ exchange: { time, tookMs } }: SeenCall): boolean {
  return time?.mayBeEnd === true && tookMs !== null && time.precisionMs <= COARSEST_MS;
}

function areEnds(calls: readonly SeenCall[]): boolean {
  let [starting, ending] = [0, 0];
  const short = calls.filter(({ exchange }) => (exchange.tookMs ?? 0) <= LONGEST_MS);
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
