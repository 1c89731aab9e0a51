import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import type { NoReplyReason, Outcome } from '../journal/exchange.ts';
import type { Answer } from '../reply/classify.ts';

/** The kinds of errors that are counted: a status, or the reason for a missing reply. */
export type ErrorKind = `${number}` | NoReplyReason;

/** The times of one kind of call, in microseconds. */
export interface CallTimes {
  /** The time from the last byte of the request to the last byte of the reply. The contract limits this time. */
  readonly service: RecordableHistogram;
  /** The time from the moment at which the call was due to the last byte of the reply. */
  readonly response: RecordableHistogram;
}

/** One second of the test. */
export interface SecondOfTest {
  readonly second: number;
  readonly asked: number | null;
  sent: number;
  errors: number;
  /** Percentiles of the response time of all calls in this second, in milliseconds. Null if no call was answered. */
  p50: number | null;
  p99: number | null;
  p999: number | null;
}

/** Longest time that a histogram can hold, in microseconds. */
const HIGHEST_US = 3_600_000_000;

/** Receives a second that has passed, and its response times in microseconds. */
export type SecondListener = (second: SecondOfTest, responses: RecordableHistogram) => void;

/** Receives each recorded time. `isInSecond` is true if the time is also one of the current second of the load. */
export type TimeListener = (call: CallName, kind: keyof CallTimes, microseconds: number, isInSecond: boolean) => void;

/** Returns an empty histogram for times in microseconds. */
export function times(): RecordableHistogram {
  return createHistogram({ lowest: 1, highest: HIGHEST_US, figures: 3 });
}

function timesByCall(): Readonly<Record<CallName, RecordableHistogram>> {
  return { balance: times(), bet: times(), win: times(), refund: times() };
}

/** Returns empty histograms for each kind of call. */
export function noTimes(): Readonly<Record<CallName, CallTimes>> {
  return Object.fromEntries(
    CALL_NAMES.map((call) => [call, { service: times(), response: times() }]),
  ) as unknown as Readonly<Record<CallName, CallTimes>>;
}

/** The measured result of one call. Times are milliseconds of the test's clock. */
interface Measured {
  readonly due: number | null;
  readonly sent: number | null;
  readonly end: number;
  readonly answer: Answer;
  readonly outcome: Outcome;
  /** True if a declined call does not count as an error. */
  readonly mayBeDeclined: boolean;
}

/** Measures the times and errors of all calls. */
export class Measures {
  readonly #start: () => number;
  readonly #dueIn: (second: number) => number | null;
  readonly #onSecond: SecondListener | undefined;
  readonly #onTime: TimeListener | undefined;
  readonly byCall: Readonly<Record<CallName, CallTimes>>;
  readonly errors = new Map<ErrorKind, number>();
  readonly seconds: SecondOfTest[] = [];
  /**
   * The response times of the current second. They are added to `byCall` when the second ends, because recording each time in two
   * histograms takes longer.
   */
  readonly #current = timesByCall();
  calls = 0;
  /** Number of bets, wins and refunds that were answered 200, repetitions included. */
  accepted = 0;
  brokenOnPurpose = 0;

  /**
   * @param start returns the time at which the load began
   * @param dueIn returns the number of calls that are due in a second of the load
   * @param onSecond is called with each second that has passed, and its response times in microseconds
   * @param onTime is called with each recorded time
   */
  constructor(
    start: () => number,
    dueIn: (second: number) => number | null,
    onSecond?: SecondListener,
    onTime?: TimeListener,
  ) {
    this.#start = start;
    this.#dueIn = dueIn;
    this.#onSecond = onSecond;
    this.#onTime = onTime;
    this.byCall = noTimes();
  }

  answered(call: CallName, { due, sent, end, answer, outcome, mayBeDeclined }: Measured): void {
    this.calls += 1;
    const second = this.#secondOf(end);
    if (second) second.sent += 1;
    if (answer === 'broken') {
      this.brokenOnPurpose += 1;
      return;
    }
    if (answer === 'accepted') {
      if (call !== 'balance') this.accepted += 1;
    } else if (!mayBeDeclined || answer !== 'declined') {
      const kind: ErrorKind = outcome.kind === 'reply' ? `${outcome.reply.status}` : outcome.reason;
      this.errors.set(kind, (this.errors.get(kind) ?? 0) + 1);
      if (second) second.errors += 1;
    }
    if (sent === null) return;
    const service = microseconds(end - sent);
    this.byCall[call].service.record(service);
    this.#onTime?.(call, 'service', service, false);
    if (due === null) return;
    const response = microseconds(end - due);
    const histogram = second ? this.#current[call] : this.byCall[call].response;
    histogram.record(response);
    this.#onTime?.(call, 'response', response, second !== undefined);
  }

  /**
   * Notes a call that was due but never left. Such a call would have taken at least until now. If such calls were not counted, the
   * times of an operator that stops answering would look better than they are (coordinated omission).
   */
  neverSent(due: number, now: number): void {
    const response = microseconds(now - due);
    this.byCall.bet.response.record(response);
    this.#onTime?.('bet', 'response', response, false);
  }

  /** Closes the last second. */
  end(): void {
    this.#close(this.seconds.at(-1));
  }

  /** Returns the current second of the load, and closes the seconds before it. Undefined before the load. */
  #secondOf(time: number): SecondOfTest | undefined {
    const number = Math.floor((time - this.#start()) / 1000);
    if (Number.isNaN(number) || number < 0) return undefined;
    while (this.seconds.length <= number) {
      this.#close(this.seconds.at(-1));
      const second = this.seconds.length;
      const asked = this.#dueIn(second);
      this.seconds.push({ second, asked, sent: 0, errors: 0, p50: null, p99: null, p999: null });
    }
    return this.seconds[number];
  }

  #close(second: SecondOfTest | undefined): void {
    if (!second) return;
    const responses = times();
    for (const call of CALL_NAMES) {
      const current = this.#current[call];
      responses.add(current);
      this.byCall[call].response.add(current);
      current.reset();
    }
    setPercentiles(second, responses);
    this.#onSecond?.(second, responses);
  }
}

/** Sets the percentiles of a second. They stay null if no call was answered in this second. */
export function setPercentiles(second: SecondOfTest, responses: RecordableHistogram): void {
  if (responses.count === 0) return;
  second.p50 = responses.percentile(50) / 1000;
  second.p99 = responses.percentile(99) / 1000;
  second.p999 = responses.percentile(99.9) / 1000;
}

function microseconds(ms: number): number {
  return Math.min(HIGHEST_US, Math.max(1, Math.round(ms * 1000)));
}
