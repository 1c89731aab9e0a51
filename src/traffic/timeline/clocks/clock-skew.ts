import type { RecordedCall } from '../../recorded-call.ts';

/** The difference between the clocks of the operator and the service. */
export interface Clocks {
  /** The number of ms by which the operator's clock is ahead; negative: behind. */
  readonly aheadMs: number;
  /** The number of calls from which the difference was computed. Both sides logged these calls. */
  readonly pairs: number;
}

/** One call as one side or both sides logged it, with its time by the service's clock. */
export interface Paired {
  readonly seen: RecordedCall;
  readonly also: RecordedCall | null;
  readonly atMs: number | null;
  /** The number of ms by which the operator got the call later than the service sent it; 0 if the logs do not show it. */
  readonly lagMs: number;
}

/**
 * Maximum difference in ms between the times of two log entries that may be the same balance call. Balance calls have no id, so
 * only their times show that they are the same.
 */
const NEAR_MS = 5000;

/** The order of calls: by their times, or in the order of their lines in the files. */
export type CallOrder = 'time' | 'file';

/** Minimum number of calls with different times that show that a file begins with its newest entry. */
const MIN_DESCENDING = 4;

/** Reverses the calls of each file that begins with its newest entry, as exports of log servers often do. */
export function oldestFirst(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  const files = Map.groupBy(calls, ({ exchange }) => exchange.place.file);
  if (![...files.values()].some(isNewestFirst)) return calls;
  return [...files.values()].flatMap((mine) => (isNewestFirst(mine) ? mine.toReversed() : mine));
}

function isNewestFirst(calls: readonly RecordedCall[]): boolean {
  const times = calls.map(timeOf);
  if (new Set(times).size < MIN_DESCENDING) return false;
  return times.every((time, index) => {
    const before = times[index - 1];
    return time !== null && (before === undefined || (before !== null && before >= time));
  });
}

/**
 * Puts the calls of each file into the order of their lines. A call whose reply is on a later line was found only at that line, and
 * a call without a reply only at the end of the file.
 */
export function inLineOrder(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  const isInOrder = calls.every(({ exchange: { place } }, index) => {
    const before = calls[index - 1]?.exchange.place;
    return before === undefined || (before.file === place.file && before.line <= place.line);
  });
  if (isInOrder) return calls;
  const files = Map.groupBy(calls, ({ exchange }) => exchange.place.file);
  return [...files.values()].flatMap((mine) => mine.toSorted((a, b) => a.exchange.place.line - b.exchange.place.line));
}

/** True if the entries of a file are not in the order of their times. */
export function isShuffled(calls: readonly RecordedCall[]): boolean {
  const last = new Map<string, number>();
  return calls.some(({ exchange: { time, place } }) => {
    if (time === null) return false;
    const before = last.get(place.file) ?? Number.NEGATIVE_INFINITY;
    last.set(place.file, Math.max(before, time.ms));
    return time.ms < before;
  });
}

/**
 * Finds the calls that both sides logged, computes the difference of their clocks, and sorts all calls by time. A call
 * without a time stays after the previous call of its file.
 */
export function pairSides(
  calls: readonly RecordedCall[],
  order: CallOrder = 'time',
): {
  readonly paired: readonly Paired[];
  readonly clocks: Clocks | null;
  /** True if both sides logged transactions with ids, and no transaction is in both logs. */
  readonly isApart: boolean;
} {
  const service = calls.filter(({ exchange }) => exchange.side === 'service');
  const operator = calls.filter(({ exchange }) => exchange.side === 'operator');
  const clocks = service.length > 0 && operator.length > 0 ? compareClocks(service, operator) : null;
  const aheadMs = clocks?.aheadMs ?? 0;
  const partners = match(service, operator, aheadMs);
  for (const [mine, other] of matchByTime(service, operator, aheadMs, partners)) partners.set(mine, other);
  const matched = new Set(partners.values());
  const paired = calls
    // The service's log already contains every call. So an access-log line of the operator that matches no call is left out.
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
      const lagMs = own === null || other === null ? 0 : Math.max(0, other - aheadMs - own);
      return { seen, also, atMs, lagMs };
    });
  const hasIds = (side: readonly RecordedCall[]): boolean => side.some(({ txID }) => txID !== null);
  return {
    paired: order === 'time' ? inOrder(paired) : inOrderOfLines(paired, calls, partners),
    clocks,
    isApart: hasIds(service) && hasIds(operator) && partners.size === 0,
  };
}

/**
 * Keeps the order of the lines. A call that only the operator logged comes after the call on the line before it in the operator's
 * file, if the service logged that call too.
 */
function inOrderOfLines(
  paired: readonly Paired[],
  calls: readonly RecordedCall[],
  partners: ReadonlyMap<RecordedCall, RecordedCall>,
): readonly Paired[] {
  if (partners.size === 0) return paired;
  const mineOf = new Map([...partners].map(([mine, other]) => [other, mine]));
  /** The calls that only the operator logged, by the call of the service before them. */
  const after = new Map<RecordedCall | null, RecordedCall[]>();
  let before: RecordedCall | null = null;
  for (const call of calls) {
    if (call.exchange.side !== 'operator') continue;
    const mine = mineOf.get(call);
    if (mine) before = mine;
    else after.set(before, [...(after.get(before) ?? []), call]);
  }
  const bySeen = new Map(paired.map((one) => [one.seen, one]));
  const following = (call: RecordedCall | null): readonly Paired[] =>
    (after.get(call) ?? []).flatMap((other) => bySeen.get(other) ?? []);
  return [
    ...following(null),
    ...paired.filter(({ seen }) => seen.exchange.side !== 'operator').flatMap((one) => [one, ...following(one.seen)]),
  ];
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

/**
 * Computes the difference of the clocks. It is the median over all calls that the service and the operator logged equally often.
 */
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
  // Balance calls have no id, so they are used only if there are no transactions.
  const sorted = (ofTransactions.length > 0 ? ofTransactions : ofReads).toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? null : { aheadMs: Math.round(middle), pairs: sorted.length };
}

type Pair = readonly [RecordedCall, RecordedCall];

/** Returns the calls of the service with the same calls as the operator logged them. */
function match(
  service: readonly RecordedCall[],
  operator: readonly RecordedCall[],
  aheadMs: number,
): Map<RecordedCall, RecordedCall> {
  const partners = new Map<RecordedCall, RecordedCall>();
  const ours = byKey(service);
  for (const [key, theirs] of byKey(operator)) {
    const mine = ours.get(key) ?? [];
    for (const [one, other] of likelierOf(nearestPairs(mine, theirs, aheadMs), pairsInOrder(mine, theirs)))
      partners.set(one, other);
  }
  return partners;
}

/**
 * Returns the pairs whose statuses contradict each other less often; if there is no difference, the pairs by time. If servers with
 * different clocks logged the attempts of one call, their times are less certain than their statuses.
 */
function likelierOf(byTime: readonly Pair[], byOrder: readonly Pair[]): readonly Pair[] {
  const contradictions = (pairs: readonly Pair[]): number => pairs.filter(hasTwoStatuses).length;
  return byOrder.length === byTime.length && contradictions(byOrder) < contradictions(byTime) ? byOrder : byTime;
}

function hasTwoStatuses([one, other]: Pair): boolean {
  const [{ answer: mine }, { answer: theirs }] = [one.exchange, other.exchange];
  return mine.kind === 'reply' && theirs.kind === 'reply' && mine.status !== theirs.status;
}

function nearestPairs(
  mine: readonly RecordedCall[],
  theirs: readonly RecordedCall[],
  aheadMs: number,
): readonly Pair[] {
  const free = [...mine];
  return theirs.flatMap((call): readonly Pair[] => {
    const nearest = nearestTo(call, free, aheadMs);
    if (!nearest) return [];
    free.splice(free.indexOf(nearest), 1);
    return [[nearest, call]];
  });
}

/** Pairs the attempts of one transaction in the order of their times, if both sides logged equally many. */
function pairsInOrder(mine: readonly RecordedCall[], theirs: readonly RecordedCall[]): readonly Pair[] {
  if (mine.length !== theirs.length || mine.length < 2 || mine[0]?.call === 'balance') return [];
  const byTime = (calls: readonly RecordedCall[]): readonly RecordedCall[] =>
    calls.toSorted((a, b) => (timeOf(a) ?? 0) - (timeOf(b) ?? 0));
  const others = byTime(theirs);
  return byTime(mine).flatMap((call, index): readonly Pair[] => {
    const other = others[index];
    return other ? [[call, other]] : [];
  });
}

/** True for a call without player, session and transaction, as in access logs. */
function isNameless({ sessionID, player, txID }: RecordedCall): boolean {
  return sessionID === null && player === null && txID === null;
}

/**
 * If an operator's log entry has no ids, finds the call of the service that has the same time. The entry and the call are matched
 * only if no other call of the same name fits the entry, and no other entry fits the call.
 */
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
    // A *claim* on a call of the service is an entry of the operator's log that fits the call. A call is matched only if it has
    // exactly one claim. If several calls fit one entry, nobody knows which of them is right. So each of these calls gets two
    // claims, and none of them is matched.
    for (const mine of candidates)
      claims.set(mine, [...(claims.get(mine) ?? []), ...(candidates.length > 1 ? [other, other] : [other])]);
  }
  return [...claims].flatMap(([mine, [other, ...others]]) =>
    other && others.length === 0 ? [[mine, other] as const] : [],
  );
}

/**
 * Tolerance in ms for times in server logs. Such a time may be the beginning or the end of a call, and often has only whole
 * seconds.
 */
const SLACK_MS = 500;

function isAtOnce(mine: RecordedCall, other: RecordedCall, at: number): boolean {
  const from = timeOf(mine) ?? 0;
  const took = Math.max(mine.exchange.tookMs ?? 0, other.exchange.tookMs ?? 0);
  const coarse = other.exchange.time?.precisionMs ?? 0;
  return at > from - coarse - SLACK_MS && at < from + took + coarse + SLACK_MS;
}

/** Returns the calls of a sorted list that may have been in flight at a moment. */
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
  // If no time is known, the order of the files is used.
  return placed
    .toSorted((a, b) => (a.at ?? Number.NEGATIVE_INFINITY) - (b.at ?? Number.NEGATIVE_INFINITY) || a.index - b.index)
    .map(({ one }) => one);
}
