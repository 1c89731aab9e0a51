import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import type { Budgets, JournalEvent, Received, RunStarted } from './event.ts';
import { isBodyDelayed, replyMs, type Stamps } from './exchange.ts';
import { CallsInFlight } from './network/calls-in-flight.ts';

/**
 * The medians of the first third and of the last third of a run. `slower` is true if the median has grown so much that chance does
 * not explain it.
 */
interface Drift {
  readonly earlyMs: number;
  readonly lateMs: number;
  readonly slower: boolean;
}

/**
 * The operator's response times for one call, from the last byte of the request to the last byte of the reply. The time limit of
 * the contract is measured in the same way. Calls of a race are left out, because a wallet may process them one after the other. A
 * call that timed out counts with the time until the timeout. All times are in milliseconds. The quantiles are exact to 1 %, and
 * `maxMs` is exact.
 */
export interface CallLatency {
  readonly call: CallName;
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The distribution of the times, for charts. The ranges (buckets) are narrow, so a chart may join neighbouring buckets. */
  readonly buckets: readonly Bucket[];
  /** The configured time limit in milliseconds for 95 % of the replies; null if no limit is configured. */
  readonly budgetMs: number | null;
  /** True if `p95Ms` is above the time limit. This is only a warning and never a failure. */
  readonly isOverBudget: boolean;
  /** The number of replies whose body came about 40 ms after the head, see {@link isBodyDelayed}. */
  readonly delayedBodies: number;
  /** The change of the response times during the run. Null if the run had too few calls, or was too short. */
  readonly drift: Drift | null;
}

/**
 * Maximum number of calls of a scenario that wait before they are counted. A race has fewer calls than this number. So if there are
 * more waiting calls, the call that has waited longest cannot belong to a race that has not ended.
 */
const MAX_WAITING = 1000;

/** Computes the response times of a run from its events, which must be added in order. */
export interface LatencyTally {
  add(event: JournalEvent): void;
  /**
   * Returns the results of each kind of call, in the order of the contract. Call this function only at the end of the run, because
   * it also counts the calls of scenarios that have not ended. A later event could show that such a call belongs to a race.
   */
  result(budgets: Budgets): readonly CallLatency[];
}

/**
 * Starts to compute response times. The memory that this needs depends on the number of calls that have no reply yet, and not on
 * the total number of calls.
 */
export function startLatencyTally(): LatencyTally {
  const inFlight = new CallsInFlight<CallName>();
  const waiting = new Map<string, Map<string, Timed>>();
  const lines = new Map<CallName, TimeLine>();

  const count = ({ call, at, ms, isDelayed }: Timed): void => {
    let line = lines.get(call);
    if (!line) {
      line = new TimeLine();
      lines.set(call, line);
    }
    line.add(at, ms, isDelayed);
  };

  /**
   * Keeps a call until its scenario ends. Calls of a race must not be counted, but the event that names these calls comes only
   * after the race.
   */
  const keep = (event: Received): void => {
    const call = inFlight.take(event.id);
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
    // To remove the first element of a map again and again takes long, so several calls are counted at once.
    if (own.size < 2 * MAX_WAITING) return;
    for (const [id, oldest] of own) {
      if (own.size <= MAX_WAITING) break;
      own.delete(id);
      count(oldest);
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

/**
 * Minimum number of replies for a 95th percentile that can fail a run. With fewer replies, a single slow reply would decide the
 * result.
 */
export const MIN_BUDGET_REPLIES = 20;

/** The result of a run for the budget of one call. */
export interface BudgetResult {
  readonly call: CallName;
  /** The time in milliseconds in which 95 % of the replies must come. */
  readonly budgetMs: number;
  /** The time in milliseconds in which 95 % of the replies came; null if there was no reply. */
  readonly p95Ms: number | null;
  readonly replies: number;
  /** True if slow replies fail the run, false if they give only a warning. */
  readonly fails: boolean;
  /** `unmeasured` if there were too few replies to fail a run. */
  readonly state: 'kept' | 'exceeded' | 'unmeasured';
}

/** A run with its settings and response times. */
interface TimedRun {
  readonly run: Pick<RunStarted, 'settings'>;
  readonly latency: readonly CallLatency[];
}

/** Returns the result of each budget of the run, in the order of the contract. */
export function budgetResults({ run, latency }: TimedRun): readonly BudgetResult[] {
  const { budgetMs: budgets = {}, budgetFails = [] } = run.settings;
  return CALL_NAMES.flatMap((call) => {
    const budgetMs = budgets[call];
    if (budgetMs === undefined) return [];
    const measured = latency.find((one) => one.call === call);
    const replies = measured?.count ?? 0;
    const p95Ms = measured?.p95Ms ?? null;
    const state = replies < MIN_BUDGET_REPLIES ? 'unmeasured' : (p95Ms ?? 0) > budgetMs ? 'exceeded' : 'kept';
    return { call, budgetMs, p95Ms, replies, fails: budgetFails.includes(call), state };
  });
}

/** Returns the budgets that fail the run. */
export function exceededBudgets(fold: TimedRun): readonly BudgetResult[] {
  return budgetResults(fold).filter(({ fails, state }) => fails && state === 'exceeded');
}

interface Timed {
  readonly call: CallName;
  readonly at: number;
  readonly ms: number;
  readonly isDelayed: boolean;
}

/**
 * Returns the time of a call. Returns null if the time says nothing about the operator, for example because croupier broke the
 * connection.
 */
function timedOf(call: CallName, { outcome, stamps }: Received): Timed | null {
  if (outcome.kind === 'none' && outcome.reason !== 'too-late') return null;
  const ms = replyMs(stamps);
  return ms === null || stamps.pausedMs !== undefined
    ? null
    : { call, at: sentAt(stamps), ms: Math.max(ms, 0), isDelayed: isBodyDelayed(stamps) };
}

function sentAt({ sent, start }: Stamps): number {
  return sent ?? start;
}

/** Maximum number of periods into which a run is divided. A longer run gets periods that are twice as long. */
const MAX_PERIODS = 32;
const FIRST_PERIOD_MS = 250;
/** Minimum number of calls in the first and in the last third of the run to compute a drift. */
const MIN_CALLS = 20;
/**
 * The response times count as slower if their median has grown at least by this factor, and also by at least `DRIFT_MS`
 * milliseconds.
 */
const DRIFT_RATIO = 1.5;
const DRIFT_MS = 10;

/** The response times of one kind of call during the run, in periods of equal length. */
class TimeLine {
  #origin: number | null = null;
  #width = FIRST_PERIOD_MS;
  #periods: (Histogram | undefined)[] = [];
  #delayedBodies = 0;

  add(at: number, ms: number, isDelayed: boolean): void {
    if (isDelayed) this.#delayedBodies += 1;
    this.#origin ??= at;
    // Calls are counted only when their scenario ends. So a call may have been sent before the first call that was counted.
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
      delayedBodies: this.#delayedBodies,
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

/** Returns the first periods, as many as are needed to have the wanted number of calls. */
function until(periods: readonly Histogram[], wanted: number): readonly Histogram[] {
  let seen = 0;
  const enough = periods.findIndex((period) => {
    seen += period.count;
    return seen >= wanted;
  });
  return periods.slice(0, enough + 1);
}

/** Each bucket is wider than the bucket before it by this factor. With this factor, a quantile is wrong by at most 1 %. */
const BUCKET_RATIO = 1.02;
const LOG_RATIO = Math.log(BUCKET_RATIO);
/** The shortest time that is counted, in milliseconds. A shorter time counts as this value, because clocks are not more exact. */
const MIN_MS = 0.01;
/** The upper end of the last bucket, in milliseconds. Longer times count in this bucket too. The maximum is always exact. */
const MAX_MS = 600_000;

/** One range of times: `count` is the number of replies that took between `fromMs` and `toMs` milliseconds. */
export interface Bucket {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/**
 * Counts times in ranges (buckets) of growing width. It needs at most 904 counters for any number of times, and its quantiles are
 * exact to 1 %. The order in which times are added makes no difference.
 */
export class Histogram {
  readonly #counts = new Map<number, number>();
  #count = 0;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  /** The longest time in milliseconds, exact to the microsecond; 0 if no time was added. */
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

  /** Returns the time in milliseconds within which the given share (0 to 1) of all replies came. Returns 0 if no time was added. */
  quantile(share: number): number {
    const wanted = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    for (const [at, count] of this.#inOrder()) {
      seen += count;
      if (seen >= wanted) return Math.min(inMicroseconds(MIN_MS * BUCKET_RATIO ** at), this.#max);
    }
    return this.#max;
  }

  /** Returns the buckets that are not empty, the shortest times first. */
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

/** Rounds to whole microseconds, because clocks report more digits than they can measure. */
function inMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
