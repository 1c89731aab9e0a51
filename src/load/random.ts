/** Repeatable random decisions. The same seed gives the same decisions. */
export class Random {
  #state: number;

  constructor(seed: string) {
    this.#state = 2_166_136_261;
    for (const char of seed) this.#state = Math.imul(this.#state ^ (char.codePointAt(0) ?? 0), 16_777_619);
  }

  /** Returns a number from 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns true in this percentage of cases. */
  isIn(percent: number): boolean {
    return this.next() * 100 < percent;
  }

  /** Returns a whole number from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }
}
