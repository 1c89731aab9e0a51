import { setTimeout as sleep } from 'node:timers/promises';
import { Mutex, Semaphore } from 'async-mutex';
import { isTooMany, type LimitedReply, RateLimit, retryAfterMs } from '../../journal/network/rate-limit.ts';

/** Maximum time for which no call is sent because the operator asks for it in `Retry-After`, in ms. */
const MAX_PAUSE_MS = 60_000;
/** The first pause after a refusal without `Retry-After`, as a part of the deadline. It doubles while the operator takes no call at all. */
const FIRST_BACKOFF = 0.02;
/** Time without a call that the operator takes after which croupier makes no such pause any more, as a multiple of the deadline. */
const MAX_BACKOFF_DEADLINES = 4;
/** Time without a call that the operator takes after which croupier does not wait any more, in ms. */
const MAX_REFUSED_MS = 90_000;
/** Time after which the rate may be lowered again, in ms. The calls that are in flight must end first. */
const LOWER_AFTER_MS = 1000;
/** Time without a refusal after which calls are sent a little faster again, in ms, and the factor. */
const RAISE_AFTER_MS = 10_000;
const RAISE_FACTOR = 1.05;

export interface PaceOptions {
  /** Maximum number of calls per second; null: no limit. */
  readonly ratePerSecond: number | null;
  /** Maximum number of calls in flight. */
  readonly maxAtOnce: number;
  readonly deadlineMs: number;
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
  /** Interrupts the run. From then on, calls do not wait for the operator any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Limits the rate of calls and the number of calls in flight. Lowers the rate by itself if the operator refuses calls because
 * there are too many.
 *
 * The semaphore of async-mutex limits the number, because calls that must leave together need several places at once. In
 * p-queue and p-limit each task takes only one place.
 *
 * The rate limit is a timestamp, which spaces calls evenly. The interval limit of p-queue would allow bursts.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #places: Semaphore;
  /** Lets waiting calls leave one after another. */
  readonly #gate = new Mutex();
  readonly #limit = new RateLimit();
  #perSecond: number;
  /** The earliest time at which the next call may leave. */
  #next = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #changedMs = Number.NEGATIVE_INFINITY;
  /** Number of pauses since the operator took a call. */
  #backoff = 0;
  #acceptedMs = Number.NEGATIVE_INFINITY;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#perSecond = this.#maxPerSecond;
    this.#places = new Semaphore(options.maxAtOnce);
  }

  /**
   * Waits until the given number of calls may leave together. If the number is above the limit, waits until no other call is in
   * flight.
   */
  async enter(calls: number): Promise<void> {
    // If no call of a race could be built, there is nothing to send and no place to take.
    if (calls === 0) return;
    await this.#places.acquire(this.#placesFor(calls));
    if (this.#perSecond === Number.POSITIVE_INFINITY && this.#waitMs <= 0) return;
    await this.#gate.runExclusive(async () => {
      // The wait may become longer while a call waits.
      for (let ms = this.#waitMs; ms > 0; ms = this.#waitMs) {
        const { signal } = this.#options;
        await sleep(ms, undefined, signal && !signal.aborted ? { signal } : {}).catch(() => undefined);
      }
      this.#next = Math.max(this.#options.now(), this.#next) + (1000 / this.#perSecond) * calls;
    });
  }

  leave(calls: number): void {
    if (calls > 0) this.#places.release(this.#placesFor(calls));
  }

  /** Notes a reply. If the operator refuses calls because there are too many, the following calls are sent more slowly. */
  note(reply: LimitedReply): void {
    const now = this.#options.now();
    if (this.#limit.note(reply)) {
      this.#lower(now);
      // An operator that takes no call any more must not delay the end of the run.
      if (now - this.#acceptedMs > MAX_REFUSED_MS) return;
      const pauseMs = retryAfterMs(reply.headers) ?? this.#backoffMs(now);
      this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(pauseMs, MAX_PAUSE_MS));
      return;
    }
    if (isTooMany(reply.status)) return;
    this.#backoff = 0;
    this.#acceptedMs = now;
    if (this.#perSecond >= this.#maxPerSecond || now - this.#changedMs < RAISE_AFTER_MS) return;
    this.#perSecond = Math.min(this.#perSecond * RAISE_FACTOR, this.#maxPerSecond);
    this.#changedMs = now;
  }

  #lower(now: number): void {
    const { perSecond } = this.#limit;
    if (perSecond === null || now - this.#changedMs < LOWER_AFTER_MS) return;
    this.#perSecond = Math.min(this.#perSecond, perSecond);
    this.#changedMs = now;
  }

  /** Returns a pause that becomes longer while the operator takes no call. */
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
