import type { SeenCall } from '../seen-call.ts';

/** How the operator's clock differs from the service's. */
export interface Clocks {
  /** The operator's clock is ahead by so many ms; negative: behind. */
  readonly aheadMs: number;
  /** How many calls, written down by both, it was reckoned from. */
  readonly pairs: number;
}

/** One call with each side's view of it, placed in time by the service's clock. */
export interface Paired {
  readonly seen: SeenCall;
  readonly also: SeenCall | null;
  readonly atMs: number | null;
}

/** Reads of a balance carry no id: they are taken for one when they are no further apart than this. */
const NEAR_MS = 5000;

/**
 * Finds the calls that both sides wrote down, reckons how far their clocks are apart, and puts all in order of time. What has no time
 * follows what stood before it in its file.
 */
export function pairSides(calls: readonly SeenCall[]): {
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
    // A line of an access log that no call can be told to be would be told twice.
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

function timeOf({ exchange }: SeenCall): number | null {
  return exchange.time?.ms ?? null;
}

function keyOf(call: SeenCall): string | null {
  if (call.call === 'balance') return call.sessionID === null ? null : `balance ${call.sessionID}`;
  return call.txID === null ? null : `${call.call} ${call.txID}`;
}

function byKey(calls: readonly SeenCall[]): ReadonlyMap<string, readonly SeenCall[]> {
  const found = new Map<string, SeenCall[]>();
  for (const call of calls) {
    const key = keyOf(call);
    if (key === null) continue;
    const list = found.get(key);
    if (list) list.push(call);
    else found.set(key, [call]);
  }
  return found;
}

/** What both sides wrote down equally often is the same, one by one; the middle of the differences counts. */
function compareClocks(service: readonly SeenCall[], operator: readonly SeenCall[]): Clocks | null {
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
  // Reads carry no id, so they count only where there is nothing better.
  const sorted = (ofTransactions.length > 0 ? ofTransactions : ofReads).toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? null : { aheadMs: Math.round(middle), pairs: sorted.length };
}

function match(service: readonly SeenCall[], operator: readonly SeenCall[], aheadMs: number): Map<SeenCall, SeenCall> {
  const partners = new Map<SeenCall, SeenCall>();
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

/** True for a call that says neither whose it is nor which transaction, as access logs write them. */
function isNameless({ sessionID, player, txID }: SeenCall): boolean {
  return sessionID === null && player === null && txID === null;
}

/** A call without a name is the one of its kind that the service made at that time, if there was just one and no other claims it. */
function matchByTime(
  service: readonly SeenCall[],
  operator: readonly SeenCall[],
  aheadMs: number,
  partners: ReadonlyMap<SeenCall, SeenCall>,
): readonly (readonly [SeenCall, SeenCall])[] {
  const free = service
    .filter((call) => !partners.has(call) && timeOf(call) !== null)
    .toSorted((a, b) => (timeOf(a) ?? 0) - (timeOf(b) ?? 0));
  const claims = new Map<SeenCall, SeenCall[]>();
  for (const other of operator.filter(isNameless)) {
    const at = timeOf(other);
    if (at === null) continue;
    const candidates = around(free, at - aheadMs).filter(
      (mine) => mine.call === other.call && isAtOnce(mine, other, at - aheadMs),
    );
    // One that leaves a doubt takes part in the claims all the same, so that nobody else is taken for certain.
    for (const mine of candidates)
      claims.set(mine, [...(claims.get(mine) ?? []), ...(candidates.length > 1 ? [other, other] : [other])]);
  }
  return [...claims].flatMap(([mine, [other, ...others]]) =>
    other && others.length === 0 ? [[mine, other] as const] : [],
  );
}

/** Logs of servers tell when a call began or when it ended, mostly the latter, and mostly in whole seconds. */
const SLACK_MS = 500;

function isAtOnce(mine: SeenCall, other: SeenCall, at: number): boolean {
  const from = timeOf(mine) ?? 0;
  const took = Math.max(mine.exchange.tookMs ?? 0, other.exchange.tookMs ?? 0);
  const coarse = other.exchange.time?.precisionMs ?? 0;
  return at > from - coarse - SLACK_MS && at < from + took + coarse + SLACK_MS;
}

/** Those of a list in order of time that may have been in flight at a moment. */
function around(calls: readonly SeenCall[], at: number): readonly SeenCall[] {
  const widestMs = 60_000;
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const call = calls[middle];
    if (call && (timeOf(call) ?? 0) < at - widestMs) low = middle + 1;
    else high = middle;
  }
  const found: SeenCall[] = [];
  for (let index = low; index < calls.length; index += 1) {
    const call = calls[index];
    if (!call || (timeOf(call) ?? 0) > at + widestMs) break;
    found.push(call);
  }
  return found;
}

function nearestTo(call: SeenCall, free: readonly SeenCall[], aheadMs: number): SeenCall | undefined {
  const at = timeOf(call);
  if (at === null) return free[0];
  const apart = (other: SeenCall): number => Math.abs((timeOf(other) ?? at - aheadMs) - (at - aheadMs));
  const nearest = free.toSorted((a, b) => apart(a) - apart(b))[0];
  if (!nearest) return undefined;
  const finest = Math.max(call.exchange.time?.precisionMs ?? 0, nearest.exchange.time?.precisionMs ?? 0);
  return call.call === 'balance' && apart(nearest) > NEAR_MS + finest ? undefined : nearest;
}

function inOrder(paired: readonly Paired[]): readonly Paired[] {
  const lastOf = new Map<string, number>();
  const placed = paired.map((one, index) => {
    const { file } = one.seen.exchange.place;
    const at = one.atMs ?? lastOf.get(file) ?? null;
    if (at !== null) lastOf.set(file, at);
    return { one, index, at };
  });
  // Where no time is known at all, the order of the files is the only one there is.
  return placed
    .toSorted((a, b) => (a.at ?? Number.NEGATIVE_INFINITY) - (b.at ?? Number.NEGATIVE_INFINITY) || a.index - b.index)
    .map(({ one }) => one);
}
