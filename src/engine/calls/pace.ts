import { setTimeout as sleep } from 'node:timers/promises';
import { Mutex, Semaphore } from 'async-mutex';
import { isTooMany, type LimitedReply, RateLimit, retryAfterMs } from '../../journal/network/rate-limit.ts';
import { CallsAtOnce, type EndedCall } from './calls-at-once.ts';

/** Maximum pause without calls in ms, if the operator asks for a pause in `Retry-After`. */
const MAX_PAUSE_MS = 60_000;
/**
 * The first pause after a refusal without `Retry-After`, as a share of the deadline. While the operator accepts no call, each pause
 * is twice as long as the previous pause.
 */
const FIRST_BACKOFF = 0.02;
/**
 * If the operator has accepted no call for this time, croupier pauses only after replies with `Retry-After`. The time is a multiple
 * of the deadline.
 */
const MAX_BACKOFF_DEADLINES = 4;
/** If the operator has accepted no call for this time in ms, croupier does not pause any more. */
const MAX_REFUSED_MS = 90_000;
/** Minimum time between two reductions of the rate, in ms. In this time, the calls that were sent at the old rate can end. */
const LOWER_AFTER_MS = 1000;
/** If the operator refuses no call for this time in ms, croupier multiplies the rate by this factor. */
const RAISE = { afterMs: 10_000, factor: 1.05 } as const;
/**
 * The same values as long as the estimate of the limit may be much too low: after a burst of calls, an operator may refuse calls at a
 * lower rate than it accepts for long.
 */
const RAISE_UNSURE = { afterMs: 2000, factor: 1.15 } as const;

export interface PaceOptions {
  /** Maximum number of calls per second; null: no limit. */
  readonly ratePerSecond: number | null;
  /** Maximum number of calls in flight. */
  readonly maxAtOnce: number;
  readonly deadlineMs: number;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
  /** Interrupts the run. After that, calls do not wait for the operator any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Limits how many calls are sent per second, and how many are in flight. If the operator refuses calls because there are too many,
 * this class lowers the rate. If replies are late because too many calls are in flight, it lowers this number.
 *
 * The semaphore of async-mutex limits the number of calls in flight. The calls of a race are sent together, so they need several
 * places at once. In p-queue and p-limit, a task can take only one place.
 *
 * The rate limit stores the earliest time of the next call, so that the calls are spaced evenly. The interval limit of p-queue
 * would allow bursts.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #places: Semaphore;
  /** Lets waiting calls be sent one after another. */
  readonly #gate = new Mutex();
  readonly #limit = new RateLimit();
  readonly #atOnce: CallsAtOnce;
  #inFlight = 0;
  /** Called when a call ends, if a call waits for it. */
  #onEnd: (() => void) | undefined;
  #perSecond: number;
  /** The earliest time at which the next call may be sent. */
  #next = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #changedMs = Number.NEGATIVE_INFINITY;
  /** Number of pauses since the operator last accepted a call. */
  #backoff = 0;
  #acceptedMs = Number.NEGATIVE_INFINITY;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#perSecond = this.#maxPerSecond;
    this.#places = new Semaphore(options.maxAtOnce);
    this.#atOnce = new CallsAtOnce(options);
  }

  /**
   * Waits until this number of calls may be sent together. If this number is above the limit, waits until no other call is in
   * flight.
   *
   * @returns the number of calls in flight, with these calls
   */
  async enter(calls: number): Promise<number> {
    // If none of the calls of a race could be built, there is nothing to send.
    if (calls === 0) return this.#inFlight;
    await this.#places.acquire(this.#placesFor(calls));
    const isFree = this.#perSecond === Number.POSITIVE_INFINITY && this.#waitMs <= 0 && !this.#atOnce.isLowered;
    if (isFree) this.#inFlight += calls;
    else await this.#gate.runExclusive(() => this.#wait(calls));
    return this.#inFlight;
  }

  /** Waits until a place, the rate and the pauses allow calls, and counts them as in flight. */
  async #wait(calls: number): Promise<void> {
    while (this.#inFlight > 0 && this.#inFlight + calls > this.#atOnce.limit)
      await new Promise<void>((resolve) => {
        this.#onEnd = resolve;
      });
    // During a wait, another reply can make the wait longer. So the remaining time is computed again after each sleep.
    for (let ms = this.#waitMs; ms > 0; ms = this.#waitMs) {
      const { signal } = this.#options;
      await sleep(ms, undefined, signal && !signal.aborted ? { signal } : {}).catch(() => undefined);
    }
    this.#next = Math.max(this.#options.now(), this.#next) + (1000 / this.#perSecond) * calls;
    this.#inFlight += calls;
  }

  leave(calls: number): void {
    if (calls === 0) return;
    this.#inFlight -= calls;
    this.#places.release(this.#placesFor(calls));
    this.#onEnd?.();
  }

  /** Number of calls that were sent and have not ended. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /**
   * Notes the end of a call. If its reply is late because too many calls are in flight, fewer calls are sent at once from now on,
   * after a pause in which the operator can end its work on the other calls.
   *
   * @returns the new limit if the calls in flight explain that the reply is late. Undefined in all other cases
   */
  noteEnd(ended: EndedCall): { readonly eachMs: number; readonly limit: number } | undefined {
    if (!this.#atOnce.note(ended)) return undefined;
    const { eachMs, limit } = this.#atOnce;
    const pauseMs = Math.min(ended.inFlight * eachMs, MAX_PAUSE_MS);
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#options.now() + pauseMs);
    return { eachMs, limit };
  }

  /** Notes a reply. If the operator refuses calls because there are too many, the following calls are sent more slowly. */
  note(reply: LimitedReply): void {
    const now = this.#options.now();
    if (this.#limit.note(reply)) {
      this.#lower(now);
      // If the operator has accepted no call for a long time, croupier makes no more pauses. Otherwise the run might never end.
      if (now - this.#acceptedMs > MAX_REFUSED_MS) return;
      const pauseMs = retryAfterMs(reply.headers) ?? this.#backoffMs(now);
      this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(pauseMs, MAX_PAUSE_MS));
      return;
    }
    if (isTooMany(reply.status)) return;
    this.#backoff = 0;
    this.#acceptedMs = now;
    const { afterMs, factor } = this.#limit.isSure ? RAISE : RAISE_UNSURE;
    if (this.#perSecond >= this.#maxPerSecond || now - this.#changedMs < afterMs) return;
    this.#perSecond = Math.min(this.#perSecond * factor, this.#maxPerSecond);
    this.#changedMs = now;
  }

  #lower(now: number): void {
    const { perSecond } = this.#limit;
    if (perSecond === null || now - this.#changedMs < LOWER_AFTER_MS) return;
    this.#perSecond = Math.min(this.#perSecond, perSecond);
    this.#changedMs = now;
  }

  /** Returns the length of a pause. While the operator accepts no call, each pause is longer than the previous pause. */
  #backoffMs(now: number): number {
    const { deadlineMs } = this.#options;
    if (now < this.#pausedUntil || now - this.#acceptedMs > MAX_BACKOFF_DEADLINES * deadlineMs) return 0;
    this.#backoff += 1;
    return deadlineMs * FIRST_BACKOFF * 2 ** (this.#backoff - 1);
  }

  get #maxPerSecond(): number {
    return this.#options.ratePerSecond ?? Number.POSITIVE_INFINITY;
  }

  get #waitMs(): number {
    const pausedUntil = this.#options.signal?.aborted ? Number.NEGATIVE_INFINITY : this.#pausedUntil;
    return Math.max(this.#next, pausedUntil) - this.#options.now();
  }

  #placesFor(calls: number): number {
    return Math.min(calls, this.#options.maxAtOnce);
  }
}
