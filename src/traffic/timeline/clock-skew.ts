import type { RecordedCall } from '../recorded-call.ts';

/** The difference between the clocks of the operator and the service. */
export interface Clocks {
  /** The number of ms by which the operator's clock is ahead; negative: behind. */
  readonly aheadMs: number;
  /** The number of calls, logged by both sides, from which it was computed. */
  readonly pairs: number;
}

/** One call as both sides logged it, with its time by the service's clock. */
export interface Paired {
  readonly seen: RecordedCall;
  readonly also: RecordedCall | null;
  readonly atMs: number | null;
}

/** Reads of a balance have no id. Two of them are the same call if they are at most this far apart. */
const NEAR_MS = 5000;

/**
 * Finds the calls that both sides logged, computes the difference of their clocks, and sorts all calls by time. A call without a time
 * follows the call before it in its file.
 */
export function pairSides(calls: readonly RecordedCall[]): {
  readonly paired: readonly Paired[];
  readonly clocks: Clocks | null;
} {
  const service = calls.filter(({ exchange }) => exchange.side === 'service');
  const operator = calls.filter(({ exchange }) => exchange.side === 'operator');
  const clocks = service.length > 0 && operator.length > 0 ? compareClocks(service, operator) : null;
  const aheadMs = clocks?.aheadMs ?? 0;
  const partners = match(service, operator, aheadMs);
  for (const [mine, other] of matchByTime(service, operator, aheadMs, partners)) partners.set(mine, other);
  const matched = new Set(partners.values());
  const paired = calls
    // A line of an access log that matches no call is left out: the call is in the log of the service already.
    .filter(
      (call) => !matched.has(call) && !(service.length > 0 && call.exchange.side === 'operator' && isNameless(call)),
    )
    .map((seen): Paired => {
      const also = partners.get(seen) ?? null;
      const own = timeOf(seen);
      const other = also ? timeOf(also) : null;
      const atMs =
        own !== null
          ? own - (seen.exchange.side === 'operator' ? aheadMs : 0)
          : other === null
            ? null
            : other - aheadMs;
      return { seen, also, atMs };
    });
  return { paired: inOrder(paired), clocks };
}

function timeOf({ exchange }: RecordedCall): number | null {
  return exchange.time?.ms ?? null;
}

function keyOf(call: RecordedCall): string | null {
  if (call.call === 'balance') return call.sessionID === null ? null : `balance ${call.sessionID}`;
  return call.txID === null ? null : `${call.call} ${call.txID}`;
}

function byKey(calls: readonly RecordedCall[]): ReadonlyMap<string, readonly RecordedCall[]> {
  const found = new Map<string, RecordedCall[]>();
  for (const call of calls) {
    const key = keyOf(call);
    if (key === null) continue;
    const list = found.get(key);
    if (list) list.push(call);
    else found.set(key, [call]);
  }
  return found;
}

/** Compares the calls that both sides logged the same number of times, one by one. The median of the differences counts. */
function compareClocks(service: readonly RecordedCall[], operator: readonly RecordedCall[]): Clocks | null {
  const theirs = byKey(operator);
  const ofTransactions: number[] = [];
  const ofReads: number[] = [];
  for (const [key, ours] of byKey(service)) {
    const others = theirs.get(key) ?? [];
    if (ours.length !== others.length) continue;
    for (const [index, mine] of ours.entries()) {
      const other = others[index];
      const [a, b] = [timeOf(mine), other ? timeOf(other) : null];
      if (a !== null && b !== null) (mine.call === 'balance' ? ofReads : ofTransactions).push(b - a);
    }
  }
  // Reads have no id, so they count only if there are no transactions.
  const sorted = (ofTransactions.length > 0 ? ofTransactions : ofReads).toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? null : { aheadMs: Math.round(middle), pairs: sorted.length };
}

function match(
  service: readonly RecordedCall[],
  operator: readonly RecordedCall[],
  aheadMs: number,
): Map<RecordedCall, RecordedCall> {
  const partners = new Map<RecordedCall, RecordedCall>();
  const ours = byKey(service);
  for (const [key, theirs] of byKey(operator)) {
    const free = [...(ours.get(key) ?? [])];
    for (const call of theirs) {
      const nearest = nearestTo(call, free, aheadMs);
      if (!nearest) continue;
      partners.set(nearest, call);
      free.splice(free.indexOf(nearest), 1);
    }
  }
  return partners;
}

/** True for a call without player, session and transaction, as access logs contain them. */
function isNameless({ sessionID, player, txID }: RecordedCall): boolean {
  return sessionID === null && player === null && txID === null;
}

/** Matches a call without ids to the only call of its kind that the service made at that time, if no other matches it too. */
function matchByTime(
  service: readonly RecordedCall[],
  operator: readonly RecordedCall[],
  aheadMs: number,
  partners: ReadonlyMap<RecordedCall, RecordedCall>,
): readonly (readonly [RecordedCall, RecordedCall])[] {
  const free = service
    .filter((call) => !partners.has(call) && timeOf(call) !== null)
    .toSorted((a, b) => (timeOf(a) ?? 0) - (timeOf(b) ?? 0));
  const claims = new Map<RecordedCall, RecordedCall[]>();
  for (const other of operator.filter(isNameless)) {
    const at = timeOf(other);
    if (at === null) continue;
    const candidates = around(free, at - aheadMs).filter(
      (mine) => mine.call === other.call && isAtOnce(mine, other, at - aheadMs),
    );
    // A doubtful match counts twice for each candidate, so that none of them is taken as certain.
    for (const mine of candidates)
      claims.set(mine, [...(claims.get(mine) ?? []), ...(candidates.length > 1 ? [other, other] : [other])]);
  }
  return [...claims].flatMap(([mine, [other, ...others]]) =>
    other && others.length === 0 ? [[mine, other] as const] : [],
  );
}

/** Server logs have the time when a call began or ended, mostly its end, and mostly in whole seconds. */
const SLACK_MS = 500;

function isAtOnce(mine: RecordedCall, other: RecordedCall, at: number): boolean {
  const from = timeOf(mine) ?? 0;
  const took = Math.max(mine.exchange.tookMs ?? 0, other.exchange.tookMs ?? 0);
  const coarse = other.exchange.time?.precisionMs ?? 0;
  return at > from - coarse - SLACK_MS && at < from + took + coarse + SLACK_MS;
}

/** The calls of a sorted list that may have been in flight at a moment. */
function around(calls: readonly RecordedCall[], at: number): readonly RecordedCall[] {
  const widestMs = 60_000;
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const call = calls[middle];
    if (call && (timeOf(call) ?? 0) < at - widestMs) low = middle + 1;
    else high = middle;
  }
  const found: RecordedCall[] = [];
  for (let index = low; index < calls.length; index += 1) {
    const call = calls[index];
    if (!call || (timeOf(call) ?? 0) > at + widestMs) break;
    found.push(call);
  }
  return found;
}

function nearestTo(call: RecordedCall, free: readonly RecordedCall[], aheadMs: number): RecordedCall | undefined {
  const at = timeOf(call);
  if (at === null) return free[0];
  const apart = (other: RecordedCall): number => Math.abs((timeOf(other) ?? at - aheadMs) - (at - aheadMs));
  const nearest = free.toSorted((a, b) => apart(a) - apart(b))[0];
  if (!nearest) return undefined;
  const finest = Math.max(call.exchange.time?.precisionMs ?? 0, nearest.exchange.time?.precisionMs ?? 0);
  return call.call === 'balance' && apart(nearest) > NEAR_MS + finest ? undefined : nearest;
}

function inOrder(paired: readonly Paired[]): readonly Paired[] {
  const closeWithVersion = new Map<string, number>();
  const placed = paired.map((one, index) => {
    const { file } = one.seen.exchange.place;
    const at = one.atMs ?? closeWithVersion.get(file) ?? null;
    if (at !== null) closeWithVersion.set(file, at);
    return { one, index, at };
  });
  // If no time is known at all, the order of the files counts.
  return placed
    .toSorted((a, b) => (a.at ?? Number.NEGATIVE_INFINITY) - (b.at ?? Number.NEGATIVE_INFINITY) || a.index - b.index)
    .map(({ one }) => one);
}
