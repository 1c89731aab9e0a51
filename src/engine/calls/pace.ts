import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from 'async-mutex';

/**
 * Limits the rate of calls and the number of calls in flight.
 *
 * The semaphore of async-mutex limits the number, because calls that must leave together need several places at once. In
 * p-queue and p-limit each task takes only one place.
 *
 * The rate limit is a timestamp, which spaces calls evenly. The interval limit of p-queue would allow bursts.
 */
export class Pace {
  readonly #gapMs: number;
  readonly #now: () => number;
  readonly #maxAtOnce: number;
  readonly #places: Semaphore;
  #next = 0;

  /**
   * @param perSecond maximum number of calls per second; null: no limit
   * @param maxAtOnce maximum number of calls in flight
   * @param now the current time in milliseconds
   */
  constructor(perSecond: number | null, maxAtOnce: number, now: () => number) {
    this.#gapMs = perSecond === null ? 0 : 1000 / perSecond;
    this.#maxAtOnce = maxAtOnce;
    this.#places = new Semaphore(maxAtOnce);
    this.#now = now;
  }

  /**
   * Waits until the given number of calls may leave together. If the number is above the limit, waits until no other call is in
   * flight.
   */
  async enter(calls: number): Promise<void> {
    // If no call of a race could be built, there is nothing to send and no place to take.
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
