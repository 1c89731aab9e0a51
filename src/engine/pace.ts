import { setTimeout as sleep } from 'node:timers/promises';

/** Keeps calls apart where configuration caps their rate. */
export class Pace {
  readonly #gapMs: number;
  readonly #now: () => number;
  #next = 0;

  /** @param perSecond null: no cap */
  constructor(perSecond: number | null, now: () => number) {
    this.#gapMs = perSecond === null ? 0 : 1000 / perSecond;
    this.#now = now;
  }

  async turn(): Promise<void> {
    if (this.#gapMs === 0) return;
    const now = this.#now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#gapMs;
    if (at > now) await sleep(at - now);
  }
}
