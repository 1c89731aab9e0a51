import { Money } from '../../../contract/money.ts';
import { balanceIn } from '../../calls/logged-call.ts';
import type { LogTime } from '../../logged-exchange.ts';
import type { RecordedCall } from '../../recorded-call.ts';

/**
 * The calls, with corrected times in the hour that occurs twice in autumn. A time is corrected only if the logs show which of the
 * two hours is meant.
 */
export interface RepeatedHour {
  readonly calls: readonly RecordedCall[];
  /** The reasons why the order of calls is not known, each as a clause. */
  readonly doubts: readonly string[];
  /** Sentences about times that may be an hour later. The order of the calls with these times is still known. */
  readonly notes: readonly string[];
}

/**
 * If lines of a log are written almost at the same time, their order may differ from the order of their times. So if the time steps
 * back by less than this, the clocks were not set back.
 */
const SAME_MOMENT_MS = 60_000;
/**
 * If the time steps back by at least this much, the clocks were set back. A shorter step can also come from lines in a wrong order.
 */
const CLOCK_CHANGE_MS = 30 * 60_000;
/**
 * Maximum difference between the clocks of the two sides. With a larger difference, the time of one side does not show the hour
 * of the other side.
 */
const CLOCKS_DIFFER_MS = 15 * 60_000;

/**
 * When the clocks are set back, a local time occurs twice. Decides which of the two hours is meant. The lines of a log show this if
 * their times step back once. The log of the other side shows it if that log has the same call with an offset from UTC.
 */
export function withRepeatedHour(calls: readonly RecordedCall[]): RepeatedHour {
  if (!calls.some((call) => laterMs(call) !== null)) return { calls, doubts: [], notes: [] };
  const known = new Map<RecordedCall, LogTime>();
  const doubts: string[] = [];
  const notes: string[] = [];
  const certain = certainTimes(calls);
  for (const [file, mine] of Map.groupBy(calls, ({ exchange }) => exchange.place.file)) {
    const { lines, isSure } = inOrderOfWriting(mine);
    const run = lines.filter((call) => laterMs(call) !== null);
    const { second, open, isShuffled } = hoursOf(run, certain, isSure);
    for (const call of second) known.set(call, timeLater(call));
    const [first] = open;
    if (first === undefined) continue;
    const place = `${file}:${first.exchange.place.line}`;
    const more = open.length === 1 ? '' : ` and of ${open.length - 1} more ${open.length === 2 ? 'line' : 'lines'}`;
    if (isShuffled || hasOthersBetween(open, mine, calls))
      doubts.push(
        `the time of ${place}${more} is in the hour that occurs twice when the clocks are set back, and the logs do not show which of the two hours it is. Times with an offset, such as +02:00, would show it`,
      );
    else
      notes.push(
        `The time of ${place}${more} is in the hour that occurs twice when the clocks are set back in autumn. croupier shows the first of the two hours. The order of the calls is correct in any case.`,
      );
  }
  const settled = calls.map((call) => {
    const time = known.get(call);
    return time ? { ...call, exchange: { ...call.exchange, time } } : call;
  });
  return { calls: settled, doubts, notes };
}

function laterMs({ exchange: { time } }: RecordedCall): number | null {
  return time?.laterMs ?? null;
}

function firstMs({ exchange: { time } }: RecordedCall): number {
  return time?.ms ?? 0;
}

function lastMs(call: RecordedCall): number {
  return laterMs(call) ?? firstMs(call);
}

function timeLater({ exchange: { time } }: RecordedCall): LogTime {
  const { laterMs: ms = 0, ...rest } = time ?? { ms: 0, precisionMs: 1 };
  return { ...rest, ms };
}

/**
 * Returns the calls of a file that have a time, in the order in which they were written. An export may begin with the newest entry.
 * `isSure` is false if the times do not show whether the first or the last entry is the newest one.
 */
function inOrderOfWriting(calls: readonly RecordedCall[]): {
  readonly lines: readonly RecordedCall[];
  readonly isSure: boolean;
} {
  const lines = calls
    .filter(({ exchange }) => exchange.time !== null)
    .toSorted((a, b) => a.exchange.place.line - b.exchange.place.line);
  const [first, last] = [lines[0], lines.at(-1)];
  if (!first || !last) return { lines, isSure: true };
  if (lastMs(first) < firstMs(last)) return { lines, isSure: true };
  if (firstMs(first) > lastMs(last)) return { lines: lines.toReversed(), isSure: true };
  const byRounds = directionByRounds(lines);
  const direction = byRounds === 'unknown' ? directionByBalances(lines) : byRounds;
  if (direction !== 'unknown') return { lines: direction === 'forwards' ? lines : lines.toReversed(), isSure: true };
  const steps = lines.slice(1).map((call, index) => Math.sign(firstMs(call) - firstMs(lines[index] ?? call)));
  const [up, down] = [1, -1].map((sign) => steps.filter((step) => step === sign).length);
  if (up === undefined || down === undefined || down === 0) return { lines, isSure: true };
  if (up <= 1 && down >= SURE_STEPS) return { lines: lines.toReversed(), isSure: true };
  return { lines, isSure: down <= 1 && up >= SURE_STEPS };
}

type Direction = 'forwards' | 'backwards' | 'unknown';

/** Finds the direction of a file from its balances: in one direction, each balance follows from the one before. */
function directionByBalances(lines: readonly RecordedCall[]): Direction {
  const isForwards = isChain(lines);
  if (isForwards === isChain(lines.toReversed())) return 'unknown';
  return isForwards ? 'forwards' : 'backwards';
}

/** True if all calls are of one session, and each balance is the balance before it plus what the call changes. */
function isChain(calls: readonly RecordedCall[]): boolean {
  return calls.every((call, index) => {
    const before = calls[index - 1];
    if (!before) return true;
    const [from, to] = [balanceIn(before), balanceIn(call)];
    const by = changeBy(call);
    if (from === null || to === null || by === null || call.sessionID !== before.sessionID) return false;
    return from.plus(by).equals(to);
  });
}

/** Returns the change of the balance by a call that was answered 200. Null if it is not known. */
function changeBy({ call, money, exchange: { answer } }: RecordedCall): Money | null {
  if (answer.kind !== 'reply' || answer.status !== 200) return null;
  if (call === 'balance') return Money.zero;
  return call === 'bet' ? (money?.negated() ?? null) : money;
}

/** Finds the direction of a file from its rounds, because a bet comes before the win of its round. */
function directionByRounds(lines: readonly RecordedCall[]): Direction {
  const bets = new Map<string, number>();
  const wins = new Map<string, number>();
  for (const [index, { call, roundID }] of lines.entries()) {
    if (roundID === null) continue;
    if (call === 'bet' && !bets.has(roundID)) bets.set(roundID, index);
    if (call === 'win' && !wins.has(roundID)) wins.set(roundID, index);
  }
  const isForwards = [...wins].flatMap(([round, win]) => {
    const bet = bets.get(round);
    return bet === undefined ? [] : [bet < win];
  });
  if (isForwards.length < SURE_ROUNDS) return 'unknown';
  return isForwards.every(Boolean) ? 'forwards' : isForwards.some(Boolean) ? 'unknown' : 'backwards';
}

/** The number of rounds that show the direction of a file, if all of them have the same direction. */
const SURE_ROUNDS = 2;

/**
 * The number of steps from one line to the next that show the direction of a file. At least this number of steps must go in one
 * direction, and at most one step in the other.
 */
const SURE_STEPS = 3;

/**
 * Returns the calls with a certain time. The key is the name and the txID of the call. A time is certain if it has an offset from
 * UTC, or if it is not in the repeated hour.
 */
function certainTimes(calls: readonly RecordedCall[]): ReadonlyMap<string, readonly RecordedCall[]> {
  return Map.groupBy(
    calls.filter((call) => call.exchange.time !== null && laterMs(call) === null && call.txID !== null),
    keyOf,
  );
}

function keyOf({ call, txID }: RecordedCall): string {
  return `${call} ${txID ?? ''}`;
}

/**
 * The clock shows one hour twice. Returns the calls of one log that are in the second hour (`second`), and the calls whose hour is
 * not known (`open`). All other calls are in the first hour. `isShuffled` is true if the calls were not written in the order of
 * their times. Then the place of an open call in the log does not show its hour.
 *
 * @param run the calls in the repeated hour, in the order in which they were written
 * @param certain the calls with a certain time; the key is the name and the txID of the call
 * @param isSure true if the order in which the calls were written is known
 */
function hoursOf(
  run: readonly RecordedCall[],
  certain: ReadonlyMap<string, readonly RecordedCall[]>,
  isSure: boolean,
): { readonly second: readonly RecordedCall[]; readonly open: readonly RecordedCall[]; readonly isShuffled: boolean } {
  const stepsBack = run.flatMap((call, index) => {
    const before = run[index - 1];
    const backMs = before ? firstMs(before) - firstMs(call) : 0;
    return backMs > SAME_MOMENT_MS ? [{ index, backMs }] : [];
  });
  const [step, ...others] = stepsBack;
  if (isSure && step && others.length === 0 && step.backMs >= CLOCK_CHANGE_MS)
    return { second: run.slice(step.index), open: [], isShuffled: false };
  const hours = run.map((call) => hourBy(call, certain));
  const lastFirst = hours.lastIndexOf('first');
  const firstSecond = hours.indexOf('second');
  if (step || (firstSecond >= 0 && firstSecond < lastFirst)) {
    const open = run.filter((_, index) => hours[index] === undefined);
    return { second: run.filter((_, index) => hours[index] === 'second'), open, isShuffled: open.length > 0 };
  }
  // If a call is in the first hour, all calls before it are also in the first hour. If a call is in the second hour, all calls
  // after it are also in the second hour.
  const end = firstSecond < 0 ? run.length : firstSecond;
  return { second: run.slice(end), open: run.slice(lastFirst + 1, end), isShuffled: false };
}

/** Finds the hour of a call from the log of the other side. */
function hourBy(
  call: RecordedCall,
  certain: ReadonlyMap<string, readonly RecordedCall[]>,
): 'first' | 'second' | undefined {
  const [other, ...more] = call.txID === null ? [] : (certain.get(keyOf(call)) ?? []);
  if (!other || more.length > 0 || other.exchange.side === call.exchange.side) return undefined;
  const isNear = (ms: number): boolean => Math.abs(firstMs(other) - ms) <= CLOCKS_DIFFER_MS;
  if (isNear(firstMs(call))) return 'first';
  return isNear(laterMs(call) ?? 0) ? 'second' : undefined;
}

/**
 * True if another log has other calls in the two hours. Then the order of all these calls is not known. The calls that are also in
 * this log do not count.
 */
function hasOthersBetween(
  open: readonly RecordedCall[],
  mine: readonly RecordedCall[],
  calls: readonly RecordedCall[],
): boolean {
  const from =
    open.reduce((least, call) => Math.min(least, firstMs(call)), Number.POSITIVE_INFINITY) - CLOCKS_DIFFER_MS;
  const to = open.reduce((most, call) => Math.max(most, lastMs(call)), 0) + CLOCKS_DIFFER_MS;
  const own = new Set(mine);
  const keys = new Set(mine.filter(({ txID }) => txID !== null).map(keyOf));
  return calls.some((call) => {
    const isIn = firstMs(call) <= to && lastMs(call) >= from;
    return !own.has(call) && call.exchange.time !== null && isIn && !keys.has(keyOf(call));
  });
}
