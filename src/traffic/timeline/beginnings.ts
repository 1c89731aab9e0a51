import { REPLY_DEADLINE_MS } from '../../contract/limits.ts';
import type { RecordedCall } from '../recorded-call.ts';

/**
 * Maximum duration in ms of the calls to compare. A longer call can really overlap with another call: the service may stop waiting
 * for the reply, and send the next call.
 */
const MAX_MS = 1000;
/** Maximum precision in ms of the times to compare. Coarser times do not show which calls overlapped. */
const COARSEST_MS = 10;
const FEWEST_OVERLAPS = 2;

/**
 * Sets the time of each call to its beginning. Many programs log the end of a call as its time. So decides for each file whether
 * its times are ends:
 * - The times are ends if the calls of a player overlap when the times are read as beginnings, but do not overlap when they are
 *   read as ends.
 * - The times are ends if otherwise a refund or a repeated call would begin before the end of the call that made it necessary.
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
  return time?.mayBeEnd === true && tookMs !== null;
}

function areEnds(calls: readonly RecordedCall[]): boolean {
  let [starting, ending] = [0, 0];
  const short = calls.filter(
    ({ exchange: { tookMs, time } }) => (tookMs ?? 0) <= MAX_MS && (time?.precisionMs ?? 1) <= COARSEST_MS,
  );
  for (const mine of Map.groupBy(short, ({ player, sessionID }) => player ?? sessionID).values()) {
    const spans = mine.map(spanOf).toSorted((a, b) => a.at - b.at);
    for (const [index, next] of spans.entries()) {
      const before = spans[index - 1];
      if (!before) continue;
      if (next.at < before.at + before.took - next.grain) starting += 1;
      if (next.at - next.took < before.at - next.grain) ending += 1;
    }
  }
  if (starting >= FEWEST_OVERLAPS && ending * 2 < starting) return true;
  const pairs = [...followUps(calls)];
  return (
    ending === 0 &&
    pairs.some(([first, then]) => then.at < first.at + waitOf(first) - then.grain) &&
    pairs.every(([first, then]) => then.at - then.took >= first.at - first.took + waitOf(first) - then.grain)
  );
}

interface Span {
  readonly at: number;
  readonly took: number;
  readonly grain: number;
}

function spanOf({ exchange: { time, tookMs } }: RecordedCall): Span {
  return { at: time?.ms ?? 0, took: tookMs ?? 0, grain: time?.precisionMs ?? 1 };
}

/** The time in ms that the service waits for the reply to a call. After it, the service may send the next call. */
function waitOf({ took }: Span): number {
  return Math.min(took, REPLY_DEADLINE_MS);
}

/**
 * Returns each call that had no success, together with its follow-up. The service may send the follow-up only after the end of the
 * call. For a win or a refund, the follow-up is the same call again. For a bet, it is the refund.
 */
function* followUps(calls: readonly RecordedCall[]): Generator<readonly [Span, Span]> {
  const last = new Map<string, RecordedCall>();
  for (const call of calls.toSorted((a, b) => spanOf(a).at - spanOf(b).at)) {
    const { txID, origTxID } = call;
    const before = (txID === null ? undefined : last.get(txID)) ?? (origTxID === null ? undefined : last.get(origTxID));
    if (before && !isSuccessful(before)) yield [spanOf(before), spanOf(call)];
    if (txID !== null) last.set(txID, call);
  }
}

function isSuccessful({ exchange: { answer, tookMs } }: RecordedCall): boolean {
  return answer.kind === 'reply' && answer.status === 200 && (tookMs ?? 0) <= REPLY_DEADLINE_MS;
}
