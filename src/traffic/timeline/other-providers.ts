import { Money } from '../../contract/money.ts';
import type { Deviation } from '../books/deviation.ts';
import type { LoggedCall } from '../calls/logged-call.ts';
import type { LoggedExchange } from '../logged-exchange.ts';
import type { LostOtherCalls } from '../read/gather.ts';
import type { OtherCall } from '../recorded-call.ts';
import type { Debt } from './debt.ts';

/** The calls of other providers in all files. */
export class OtherCalls {
  readonly #ofFile: ReadonlyMap<string, readonly OtherCall[]>;
  readonly #lost: readonly LostOtherCalls[];

  /** @param lost the calls that were left out, because there were too many */
  constructor(calls: readonly OtherCall[], lost: readonly LostOtherCalls[] = []) {
    const byLine = calls.toSorted((a, b) => a.place.line - b.place.line);
    this.#ofFile = Map.groupBy(byLine, ({ place }) => place.file);
    this.#lost = lost;
  }

  get isEmpty(): boolean {
    return this.#ofFile.size === 0;
  }

  /** Returns the left-out calls, one of which may have changed the balance before the reply to a call. Null if there are none. */
  lostBefore(to: LoggedCall): LostOtherCalls | null {
    const found = this.#lost.filter(({ first }) => (lineIn(first.file, to) ?? first.line) + NEAR_LINES >= first.line);
    const [one] = found;
    return one ? { first: one.first, count: found.reduce((sum, { count }) => sum + count, 0) } : null;
  }

  /** Returns the calls that may have changed the balance between the replies to two calls. */
  between(from: LoggedCall | null, to: LoggedCall): readonly OtherCall[] {
    return [...this.#ofFile].flatMap(([file, calls]) => {
      const first = from === null ? Number.NEGATIVE_INFINITY : lineIn(file, from);
      const last = lineIn(file, to);
      const near =
        first === null || last === null
          ? calls
          : calls.slice(indexOfLine(calls, first - NEAR_LINES), indexOfLine(calls, last + NEAR_LINES));
      return near.filter((other) => isBetween(other, from, to));
    });
  }
}

/** A call that is farther away than this number of lines does not count as in flight at the same time. */
const NEAR_LINES = 1000;

/** Returns the index of the first call at this line or after it. The calls must be in the order of their lines. */
function indexOfLine(calls: readonly OtherCall[], line: number): number {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((calls[middle]?.place.line ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the line of a call in this file. Null if the file does not have the call. */
function lineIn(file: string, call: LoggedCall): number | null {
  const { place } = viewIn(file, call);
  return place.file === file ? place.line : null;
}

/** A claim that rests only on the difference between the balances in the replies to two calls. */
interface Claim {
  readonly from: LoggedCall | null;
  readonly to: LoggedCall;
  /** The difference that the claim explains. */
  readonly by: Money;
  /** The claim and the words before the other explanation. */
  readonly text: string;
}

/**
 * Finds the debts that a call of another provider may explain. Other providers can use the same wallet, so their calls can change
 * its balance. If such calls are between two balances, and their amounts are exactly the difference, the balances do not prove an
 * error of the operator.
 *
 * @returns a clause for each such debt
 */
export function otherProvidersOf(
  debts: readonly Debt[],
  calls: readonly LoggedCall[],
  otherCalls: OtherCalls,
): readonly string[] {
  if (otherCalls.isEmpty) return [];
  return debts.flatMap((debt) => {
    const claim = claimOf(debt, calls);
    if (claim === null) return [];
    const { from, to, by, text } = claim;
    const other = otherReason({ after: from, call: to, by }, otherCalls);
    return other === null ? [] : [`${text} ${other}`];
  });
}

/**
 * Says which calls of other providers explain a difference between two balances, as a clause. Returns null if no calls explain it.
 */
export function otherReason(
  { after, call, by }: Pick<Deviation, 'after' | 'call' | 'by'>,
  otherCalls: OtherCalls,
): string | null {
  const moved = movedBy(by, otherCalls.between(after, call));
  if (moved.length > 0) return `${movers(moved)} changed the balance`;
  const lost = otherCalls.lostBefore(call);
  if (lost === null) return null;
  const { count, first } = lost;
  const which = count === 1 ? 'a call of another provider' : `one of ${count} calls of other providers`;
  return `${which} that croupier left out because the logs have too many (${count === 1 ? '' : 'the first is '}${first.file}:${first.line}) changed the balance`;
}

/** Returns null if the debt does not rest on the difference between two balances. */
function claimOf({ deviation, transaction, owedBy, amount }: Debt, calls: readonly LoggedCall[]): Claim | null {
  if (deviation) {
    const { after, call, by, causes } = deviation;
    const off = `${by.absolute().format(2)} too ${by.isNegative() ? 'low' : 'high'}`;
    const errors = causes.map((cause) => cause.text).join(' and ');
    return {
      from: after,
      to: call,
      by,
      text: `the balance in the reply to call ${call.number} is ${off}: either ${errors}, or`,
    };
  }
  // A reply of the operator shows what it did with the bet or win. Without such a reply, only the balances show it.
  const isShown = transaction?.attempts.some(({ done }) => done === 'yes') === true;
  if (!transaction || isShown || owedBy !== 'operator' || amount.isZero()) return null;
  const [first] = transaction.attempts;
  const to = calls.find(({ number, balance }) => number > (first?.number ?? 0) && balance !== null);
  if (!first || !to) return null;
  const from = calls.findLast(({ number, balance }) => number < first.number && balance !== null) ?? null;
  const what = transaction.call === 'bet' ? 'was taken' : 'was not paid';
  const text = `the balance in the reply to call ${to.number} shows that the ${transaction.call} of call ${first.number} ${what}, unless`;
  return { from, to, by: amount.negated(), text };
}

/**
 * Returns the calls that explain the difference exactly: one call alone, or all calls together, or all calls that have a field in
 * common, because this field may be the player. Returns an empty list if there are none.
 */
function movedBy(by: Money, calls: readonly OtherCall[]): readonly OtherCall[] {
  const withField = new Map<string, OtherCall[]>();
  for (const call of calls) {
    for (const field of call.fields) {
      const same = withField.get(field);
      if (same) same.push(call);
      else withField.set(field, [call]);
    }
  }
  for (const group of [...calls.map((call) => [call]), calls, ...withField.values()])
    if (group.reduce((sum, call) => sum.plus(call.by), Money.zero).equals(by)) return group;
  return [];
}

function movers(calls: readonly OtherCall[]): string {
  const [first] = calls;
  const place = first ? `${first.place.file}:${first.place.line}` : '';
  return calls.length === 1
    ? `the ${first?.call ?? 'call'} of another provider (${place})`
    : `${calls.length} calls of other providers (the first is ${place})`;
}

/**
 * True if the log has the call of another provider between the two calls, or if it was in flight at the same time as one of them.
 * Lines of different files are compared by their times.
 */
function isBetween(other: OtherCall, from: LoggedCall | null, to: LoggedCall): boolean {
  const { file } = other.place;
  const [start, end] = [from === null ? null : viewIn(file, from), viewIn(file, to)];
  if (start !== null && met(other, start)) return true;
  return met(other, end) || ((start === null || isBefore(start, other)) && isBefore(other, end));
}

type Logged = Pick<OtherCall, 'place' | 'time' | 'tookMs'>;

/** Returns the log entry of a call in this file, if there is one. Otherwise returns another log entry of it. */
function viewIn(file: string, { seen, alsoSeen }: LoggedCall): LoggedExchange {
  const also = alsoSeen?.exchange;
  return also?.place.file === file ? also : seen.exchange;
}

function isBefore(one: Logged, other: Logged): boolean {
  if (one.place.file === other.place.file) return one.place.line < other.place.line;
  return one.time === null || other.time === null || one.time.ms <= other.time.ms;
}

/** True if the log shows that both calls were in flight at the same moment, whether its times are beginnings or ends. */
function met(one: Logged, other: Logged): boolean {
  if (one.time === null || other.time === null) return false;
  return Math.abs(one.time.ms - other.time.ms) < Math.max(one.tookMs ?? 0, other.tookMs ?? 0);
}
