import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from 'async-mutex';

/**
 * Limits the rate of calls and the number of calls in flight.
 *
 * The number is limited by the semaphore of async-mutex, because a set of calls that must leave together takes several places at
 * once. p-queue and p-limit count tasks of one place each. The rate limit is a timestamp, not a queue: it spaces calls evenly,
 * while the interval cap of p-queue lets bursts through.
 */
export class Pace {
  readonly #gapMs: number;
  readonly #now: () => number;
  readonly #maxAtOnce: number;
  readonly #places: Semaphore;
  #next = 0;

  /** @param perSecond null: no limit */
  constructor(perSecond: number | null, maxAtOnce: number, now: () => number) {
    this.#gapMs = perSecond === null ? 0 : 1000 / perSecond;
    this.#maxAtOnce = maxAtOnce;
    this.#places = new Semaphore(maxAtOnce);
    this.#now = now;
  }

  /**
   * Waits until this number of calls may leave. Calls that must leave together count together. A set that is larger than the
   * limit leaves when no other call is in flight.
   */
  async enter(calls: number): Promise<void> {
    // A race whose calls could not be built has no call to send.
    if (calls === 0) return;
    await this.#places.acquire(this.#placesFor(calls));
    if (this.#gapMs === 0) return;
    const now = this.#now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#gapMs * calls;
    if (at > now) await sleep(at - now);
  }

  leave(calls: number): void {
    if (calls > 0) this.#places.release(this.#placesFor(calls));
  }

  #placesFor(calls: number): number {
    return Math.min(calls, this.#maxAtOnce);
  }
}
