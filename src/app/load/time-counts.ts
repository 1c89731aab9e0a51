import type { RecordableHistogram } from 'node:perf_hooks';
import { CALL_NAMES, type CallName } from '../../contract/call-name.ts';
import { type CallTimes, type Measures, type SecondOfTest, type TimeListener, times } from '../../load/measures.ts';

/** Times, and how often each time occurred. The list contains, in turn, a time in microseconds and its count. */
export type Counts = readonly number[];

/** A second of the load that has passed, with its response times. */
export interface CountedSecond {
  readonly second: SecondOfTest;
  readonly responses: Counts;
}

/** The times of each kind of call. */
export type CountedCalls = Readonly<Record<CallName, Readonly<Record<keyof CallTimes, Counts>>>>;

/**
 * Counts the times of a load test, so that another machine can build the same histograms. A histogram of Node can't leave its
 * process.
 */
export class TimeCounts {
  readonly #byCall = Object.fromEntries(
    CALL_NAMES.map((call) => [call, { service: new Counter(), response: new Counter() }]),
  ) as Record<CallName, Record<keyof CallTimes, Counter>>;
  readonly #current = new Counter();
  #seconds: CountedSecond[] = [];

  readonly onTime: TimeListener = (call, kind, microseconds, isInSecond) => {
    this.#byCall[call][kind].add(microseconds);
    if (isInSecond) this.#current.add(microseconds);
  };

  readonly onSecond = (second: SecondOfTest): void => {
    this.#seconds.push({ second: { ...second }, responses: this.#current.take() });
  };

  /** Returns everything since the last time. */
  take(): { readonly seconds: readonly CountedSecond[]; readonly byCall: CountedCalls } {
    const seconds = this.#seconds;
    this.#seconds = [];
    const byCall = Object.fromEntries(
      CALL_NAMES.map((call) => {
        const { service, response } = this.#byCall[call];
        return [call, { service: service.take(), response: response.take() }];
      }),
    ) as unknown as CountedCalls;
    return { seconds, byCall };
  }
}

class Counter {
  readonly #counts = new Map<number, number>();

  add(microseconds: number): void {
    this.#counts.set(microseconds, (this.#counts.get(microseconds) ?? 0) + 1);
  }

  take(): Counts {
    const taken = [...this.#counts].flat();
    this.#counts.clear();
    return taken;
  }
}

/** Records counted times in a histogram. */
function recordCounts(counts: Counts, histogram: RecordableHistogram): void {
  for (let at = 0; at + 1 < counts.length; at += 2)
    for (let count = counts[at + 1] ?? 0; count > 0; count -= 1) histogram.record(counts[at] ?? 0);
}

/** Returns a histogram of counted times. */
export function histogramOf(counts: Counts): RecordableHistogram {
  const histogram = times();
  recordCounts(counts, histogram);
  return histogram;
}

/** Adds the times of each kind of call to histograms. */
export function addCalls(counted: CountedCalls, byCall: Measures['byCall']): void {
  for (const call of CALL_NAMES) {
    recordCounts(counted[call].service, byCall[call].service);
    recordCounts(counted[call].response, byCall[call].response);
  }
}
