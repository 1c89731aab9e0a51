import { setTimeout as sleep } from 'node:timers/promises';

/** Keeps calls apart where configuration caps their rate, and their number where it caps how many are under way. */
export class Pace {
  readonly #gapMs: number;
  readonly #now: () => number;
  readonly #maxAtOnce: number;
  readonly #waiting: (() => void)[] = [];
  #next = 0;
  #underWay = 0;

  /** @param perSecond null: no cap */
  constructor(perSecond: number | null, maxAtOnce: number, now: () => number) {
    this.#gapMs = perSecond === null ? 0 : 1000 / perSecond;
    this.#maxAtOnce = maxAtOnce;
    this.#now = now;
  }

  /**
   * Waits until so many calls may leave. Calls that must leave together count together; a set that is larger than the cap
   * leaves when nothing else is under way.
   */
  async enter(calls: number): Promise<void> {
    while (this.#underWay > 0 && this.#underWay + calls > this.#maxAtOnce) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#underWay += calls;
    if (this.#gapMs === 0) return;
    const now = this.#now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#gapMs * calls;
    if (at > now) await sleep(at - now);
  }

  leave(calls: number): void {
    this.#underWay -= calls;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
