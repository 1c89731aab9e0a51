/** Until when something may still land late that was sent in a scenario. */
export class Linger {
  readonly #ms: number;
  readonly #now: () => number;
  /** When the last call ended that may still land; 0: there was none. */
  #risky = 0;

  /** @param ms after so long nothing lands any more */
  constructor(ms: number, now: () => number) {
    this.#ms = ms;
    this.#now = now;
  }

  /** A call ended in a way that leaves open whether the operator carries it out. */
  risk(endedAt: number): void {
    this.#risky = Math.max(this.#risky, endedAt);
  }

  /** How many ms are left to wait; 0: nothing can land any more. */
  get restMs(): number {
    return this.#risky === 0 ? 0 : Math.max(0, this.#risky + this.#ms - this.#now());
  }
}
