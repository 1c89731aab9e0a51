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
  const matched = new Set(partners.values());
  const paired = calls
    .filter((call) => !matched.has(call))
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

/** Only transactions that each side wrote down once tell for certain; the middle of their differences counts. */
function compareClocks(service: readonly SeenCall[], operator: readonly SeenCall[]): Clocks | null {
  const theirs = byKey(operator);
  const differences: number[] = [];
  for (const [key, ours] of byKey(service)) {
    const [mine, ...more] = ours;
    const [other, ...others] = theirs.get(key) ?? [];
    if (!mine || !other || more.length > 0 || others.length > 0 || key.startsWith('balance ')) continue;
    const [a, b] = [timeOf(mine), timeOf(other)];
    if (a !== null && b !== null) differences.push(b - a);
  }
  if (differences.length === 0) return null;
  const sorted = differences.toSorted((a, b) => a - b);
  return { aheadMs: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0), pairs: differences.length };
}

function match(
  service: readonly SeenCall[],
  operator: readonly SeenCall[],
  aheadMs: number,
): ReadonlyMap<SeenCall, SeenCall> {
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
