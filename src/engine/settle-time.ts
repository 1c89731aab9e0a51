/** The time until which a call of a scenario may still take effect. */
export class SettleTime {
  readonly #ms: number;
  readonly #now: () => number;
  /** End of the last call that may still take effect; 0: there was none. */
  #lastRiskyEnd = 0;

  /** @param ms after this time a call has no late effect any more */
  constructor(ms: number, now: () => number) {
    this.#ms = ms;
    this.#now = now;
  }

  /** Notes a call whose end leaves open whether the operator carries it out. */
  noteRisk(endedAt: number): void {
    this.#lastRiskyEnd = Math.max(this.#lastRiskyEnd, endedAt);
  }

  /** Remaining time to wait, in ms; 0: no call can take effect any more. */
  get restMs(): number {
    return this.#lastRiskyEnd === 0 ? 0 : Math.max(0, this.#lastRiskyEnd + this.#ms - this.#now());
  }
}
