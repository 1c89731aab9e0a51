import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import type { Budgets, JournalEvent, Received } from './event.ts';
import { replyMs, type Stamps } from './exchange.ts';

/** Medians of the first and of the last third of a run, and whether the difference is more than chance. */
interface Drift {
  readonly earlyMs: number;
  readonly lateMs: number;
  readonly slower: boolean;
}

/**
 * Response times of the operator for one call: from the last byte of the request to the last byte of the reply, as the contract
 * counts the deadline. Calls of a race are left out, because a wallet may let them wait for each other. A call that timed out
 * counts with the time until then. In milliseconds; quantiles are exact to 1 %, `maxMs` is exact.
 */
export interface CallLatency {
  readonly call: CallName;
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The distribution, for charts. Buckets are narrow: add neighbours to get the width that a chart needs. */
  readonly buckets: readonly Bucket[];
  /** Configured time limit for 95 of 100 replies; null: none. */
  readonly budgetMs: number | null;
  /** True: p95 is above the budget. A warning, never a failure. */
  readonly isOverBudget: boolean;
  /** null: there were too few calls, or the run was too short. */
  readonly drift: Drift | null;
}

/** Maximum number of calls of a scenario that wait to be counted. A race has fewer calls, so the oldest is in no open race. */
const MAX_WAITING = 1000;

/** Computes the response times of a run from its events, in order. */
export interface LatencyTally {
  add(event: JournalEvent): void;
  /** The calls that were made, in the order of the contract. Only for the end of a run: it counts all calls that still wait. */
  result(budgets: Budgets): readonly CallLatency[];
}

/** Starts a tally. Its size depends on the number of calls in flight, not on the number of calls in all. */
export function startLatencyTally(): LatencyTally {
  const inFlight = new Map<string, CallName>();
  const waiting = new Map<string, Map<string, Timed>>();
  const lines = new Map<CallName, TimeLine>();

  const count = ({ call, at, ms }: Timed): void => {
    let line = lines.get(call);
    if (!line) {
      line = new TimeLine();
      lines.set(call, line);
    }
    line.add(at, ms);
  };

  /** Keeps a call until the end of its scenario: the event of a race comes only after all its calls have ended. */
  const keep = (event: Received): void => {
    const call = inFlight.get(event.id);
    inFlight.delete(event.id);
    const timed = call === undefined ? null : timedOf(call, event);
    if (timed === null) return;
    if (event.scenario === null) {
      count(timed);
      return;
    }
    let own = waiting.get(event.scenario);
    if (!own) {
      own = new Map();
      waiting.set(event.scenario, own);
    }
    own.set(event.id, timed);
    const [oldest] = own;
    if (own.size > MAX_WAITING && oldest) {
      own.delete(oldest[0]);
      count(oldest[1]);
    }
  };

  const countAll = (scenario: string): void => {
    for (const timed of waiting.get(scenario)?.values() ?? []) count(timed);
    waiting.delete(scenario);
  };

  const add = (event: JournalEvent): void => {
    if (event.event === 'sending') inFlight.set(event.id, event.call);
    else if (event.event === 'received') keep(event);
    else if (event.event === 'race') for (const id of event.exchanges) waiting.get(event.scenario)?.delete(id);
    else if (event.event === 'scenario-started' || event.event === 'scenario-ended') countAll(event.scenario);
  };

  const result = (budgets: Budgets): readonly CallLatency[] => {
    for (const scenario of waiting.keys()) countAll(scenario);
    return CALL_NAMES.flatMap((call) => lines.get(call)?.sumUp(call, budgets[call] ?? null) ?? []);
  };

  return { add, result };
}

interface Timed {
  readonly call: CallName;
  readonly at: number;
  readonly ms: number;
}

/** null: the call says nothing about the operator, for example because croupier broke the connection. */
function timedOf(call: CallName, { outcome, stamps }: Received): Timed | null {
  if (outcome.kind === 'none' && outcome.reason !== 'too-late') return null;
  const ms = replyMs(stamps);
  return ms === null ? null : { call, at: sentAt(stamps), ms: Math.max(ms, 0) };
}

function sentAt({ sent, start }: Stamps): number {
  return sent ?? start;
}

/** Maximum number of periods into which a run is divided. A longer run has longer periods: each becomes twice as long. */
const MAX_PERIODS = 32;
const FIRST_PERIOD_MS = 250;
/** Minimum number of calls in each third of the run for a drift. */
const MIN_CALLS = 20;
/** A call became slower if its median grew at least by this factor and by this number of milliseconds. */
const DRIFT_RATIO = 1.5;
const DRIFT_MS = 10;

/** The response times of one call over the run. */
class TimeLine {
  #origin: number | null = null;
  #width = FIRST_PERIOD_MS;
  #periods: (Histogram | undefined)[] = [];

  add(at: number, ms: number): void {
    this.#origin ??= at;
    // Calls are counted when their scenario ends, so one may be older than the first that was counted.
    const since = Math.max(0, at - this.#origin);
    while (since >= this.#width * MAX_PERIODS) this.#widen();
    const index = Math.floor(since / this.#width);
    let period = this.#periods[index];
    if (!period) {
      period = new Histogram();
      this.#periods[index] = period;
    }
    period.add(ms);
  }

  sumUp(call: CallName, budgetMs: number | null): CallLatency {
    const all = merged(this.#filled());
    const p95Ms = all.quantile(0.95);
    return {
      call,
      count: all.count,
      p50Ms: all.quantile(0.5),
      p95Ms,
      p99Ms: all.quantile(0.99),
      maxMs: all.maxMs,
      buckets: all.buckets(),
      budgetMs,
      isOverBudget: budgetMs !== null && p95Ms > budgetMs,
      drift: driftOf(this.#filled(), all.count / 3),
    };
  }

  #filled(): readonly Histogram[] {
    return this.#periods.filter((period) => period !== undefined);
  }

  #widen(): void {
    const wider: (Histogram | undefined)[] = [];
    for (let at = 0; at < this.#periods.length; at += 2) {
      const pair = [this.#periods[at], this.#periods[at + 1]].filter((period) => period !== undefined);
      wider[at / 2] = pair.length === 0 ? undefined : merged(pair);
    }
    this.#periods = wider;
    this.#width *= 2;
  }
}

function merged(parts: readonly Histogram[]): Histogram {
  const all = new Histogram();
  for (const part of parts) all.addAll(part);
  return all;
}

function driftOf(periods: readonly Histogram[], third: number): Drift | null {
  const begin = until(periods, third);
  const end = until(periods.toReversed(), third);
  if (begin.length + end.length > periods.length) return null;
  const early = merged(begin);
  const late = merged(end);
  if (early.count < MIN_CALLS || late.count < MIN_CALLS) return null;
  const earlyMs = early.quantile(0.5);
  const lateMs = late.quantile(0.5);
  return { earlyMs, lateMs, slower: lateMs >= earlyMs * DRIFT_RATIO && lateMs - earlyMs >= DRIFT_MS };
}

/** The fewest periods from the beginning that hold the wanted number of calls. */
function until(periods: readonly Histogram[], wanted: number): readonly Histogram[] {
  let seen = 0;
  const enough = periods.findIndex((period) => {
    seen += period.count;
    return seen >= wanted;
  });
  return periods.slice(0, enough + 1);
}

/** Ratio of the widths of neighbouring buckets. With it, a value read back is wrong by 1 % at most. */
const BUCKET_RATIO = 1.02;
const LOG_RATIO = Math.log(BUCKET_RATIO);
/** Shorter times are counted as this value, because clocks are not more exact. In milliseconds. */
const MIN_MS = 0.01;
/** Longer times are counted in the last bucket. The maximum is always exact. In milliseconds. */
const MAX_MS = 600_000;

/** The number of replies that took between `fromMs` and `toMs`. */
export interface Bucket {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/**
 * Times in buckets of growing width: at most 904 counters for any number of times, and quantiles that are exact to 1 %.
 * The order in which times are added makes no difference.
 */
export class Histogram {
  readonly #counts = new Map<number, number>();
  #count = 0;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  /** The longest time, to the microsecond; 0 if there is none. */
  get maxMs(): number {
    return this.#max;
  }

  add(ms: number): void {
    const at = Math.round(Math.log(Math.min(Math.max(ms, MIN_MS), MAX_MS) / MIN_MS) / LOG_RATIO);
    this.#counts.set(at, (this.#counts.get(at) ?? 0) + 1);
    this.#count += 1;
    this.#max = Math.max(this.#max, inMicroseconds(ms));
  }

  addAll(other: Histogram): void {
    for (const [at, count] of other.#counts) this.#counts.set(at, (this.#counts.get(at) ?? 0) + count);
    this.#count += other.#count;
    this.#max = Math.max(this.#max, other.#max);
  }

  /** The time within which the given share (0 to 1) of all replies came; 0 if there are none. */
  quantile(share: number): number {
    const wanted = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    for (const [at, count] of this.#inOrder()) {
      seen += count;
      if (seen >= wanted) return Math.min(inMicroseconds(MIN_MS * BUCKET_RATIO ** at), this.#max);
    }
    return this.#max;
  }

  /** The buckets that are not empty, shortest times first. */
  buckets(): readonly Bucket[] {
    return this.#inOrder().map(([at, count]) => ({
      fromMs: MIN_MS * BUCKET_RATIO ** (at - 0.5),
      toMs: MIN_MS * BUCKET_RATIO ** (at + 0.5),
      count,
    }));
  }

  #inOrder(): readonly (readonly [at: number, count: number])[] {
    return [...this.#counts].sort(([a], [b]) => a - b);
  }
}

/** Clocks report more digits than they can measure. */
function inMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
