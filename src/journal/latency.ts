import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import type { JournalEvent, Received } from './event.ts';
import { replyMs, type Stamps } from './exchange.ts';
import { type Bucket, Histogram } from './histogram.ts';

/** Median of the first and of the last third of a run, and whether that is more than chance. */
interface Drift {
  readonly earlyMs: number;
  readonly lateMs: number;
  readonly slower: boolean;
}

/**
 * How long the operator took for one call: from the last byte of the request to the last byte of the reply, as the contract counts
 * its five seconds. Calls that were let go together are left out, because a wallet may let them wait for each other; one that
 * was given up counts with the time until then. Milliseconds; quantiles are right to 1 %, `maxMs` is exact.
 */
export interface CallLatency {
  readonly call: CallName;
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** For drawing the distribution. They are narrow: add neighbours up to the width wanted. */
  readonly buckets: readonly Bucket[];
  /** What the configuration allows 95 of 100 replies to take; null: nothing. */
  readonly budgetMs: number | null;
  /** True: p95 is beyond the budget. A warning, never a failure. */
  readonly isOverBudget: boolean;
  /** null: too few calls, or too short a run, to tell. */
  readonly drift: Drift | null;
}

/** What 95 of 100 replies may take, by call, in milliseconds. */
export type Budgets = Readonly<Partial<Record<CallName, number>>>;

/** More calls are not let go together, so that the oldest of a scenario need not wait any longer. */
const MOST_WAITING = 1000;

/** Takes the events of one run in order, and says at their end how quick the operator was. */
export interface LatencyTally {
  add(event: JournalEvent): void;
  /** The calls that were made, in the order of the contract; for the end, as calls under way in a race count from then on. */
  result(budgets: Budgets): readonly CallLatency[];
}

/** Starts a tally. What it holds follows from how much is under way at one moment, not from the number of calls. */
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

  /** Which calls were let go together is said once all of them have landed. */
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
    if (own.size > MOST_WAITING && oldest) {
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

/** null: it says nothing of the operator, such as a connection that croupier broke. */
function timedOf(call: CallName, { outcome, stamps }: Received): Timed | null {
  if (outcome.kind === 'none' && outcome.reason !== 'too-late') return null;
  const ms = replyMs(stamps);
  return ms === null ? null : { call, at: sentAt(stamps), ms: Math.max(ms, 0) };
}

function sentAt({ sent, start }: Stamps): number {
  return sent ?? start;
}

/** So many stretches of a run are kept apart; when it outgrows them, each becomes twice as long. */
const STRETCHES = 32;
const FIRST_STRETCH_MS = 250;
/** Fewer calls in a third of the run tell nothing. */
const FEWEST = 20;
/** Slower is what takes so many times as long, and so much longer, as a median. */
const DRIFT_RATIO = 1.5;
const DRIFT_MS = 10;

/** The times of one call over the run. */
class TimeLine {
  #origin: number | null = null;
  #width = FIRST_STRETCH_MS;
  #stretches: (Histogram | undefined)[] = [];

  add(at: number, ms: number): void {
    this.#origin ??= at;
    // Scenarios end in another order than their calls began, so that one may be older than the first that was counted.
    const since = Math.max(0, at - this.#origin);
    while (since >= this.#width * STRETCHES) this.#widen();
    const index = Math.floor(since / this.#width);
    let stretch = this.#stretches[index];
    if (!stretch) {
      stretch = new Histogram();
      this.#stretches[index] = stretch;
    }
    stretch.add(ms);
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
    return this.#stretches.filter((stretch) => stretch !== undefined);
  }

  #widen(): void {
    const wider: (Histogram | undefined)[] = [];
    for (let at = 0; at < this.#stretches.length; at += 2) {
      const pair = [this.#stretches[at], this.#stretches[at + 1]].filter((stretch) => stretch !== undefined);
      wider[at / 2] = pair.length === 0 ? undefined : merged(pair);
    }
    this.#stretches = wider;
    this.#width *= 2;
  }
}

function merged(parts: readonly Histogram[]): Histogram {
  const all = new Histogram();
  for (const part of parts) all.addAll(part);
  return all;
}

function driftOf(stretches: readonly Histogram[], third: number): Drift | null {
  const begin = until(stretches, third);
  const end = until(stretches.toReversed(), third);
  if (begin.length + end.length > stretches.length) return null;
  const early = merged(begin);
  const late = merged(end);
  if (early.count < FEWEST || late.count < FEWEST) return null;
  const earlyMs = early.quantile(0.5);
  const lateMs = late.quantile(0.5);
  return { earlyMs, lateMs, slower: lateMs >= earlyMs * DRIFT_RATIO && lateMs - earlyMs >= DRIFT_MS };
}

/** So many from the beginning that they hold the wanted number of calls. */
function until(stretches: readonly Histogram[], wanted: number): readonly Histogram[] {
  let seen = 0;
  const enough = stretches.findIndex((stretch) => {
    seen += stretch.count;
    return seen >= wanted;
  });
  return stretches.slice(0, enough + 1);
}
