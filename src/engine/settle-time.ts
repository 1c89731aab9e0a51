/** Computes how long to wait until no call of a scenario can take effect any more. */
export class SettleTime {
  readonly #ms: number;
  readonly #now: () => number;
  /** End of the last call that may still take effect. 0 if there was no such call. */
  #lastRiskyEnd = 0;

  /**
   * @param ms time in milliseconds after which a call can no longer take effect
   * @param now the current time in milliseconds
   */
  constructor(ms: number, now: () => number) {
    this.#ms = ms;
    this.#now = now;
  }

  /**
   * Notes a call for which croupier no longer waits, but that the operator may still carry out. @param endedAt the time when
   * croupier stopped waiting
   */
  noteRisk(endedAt: number): void {
    this.#lastRiskyEnd = Math.max(this.#lastRiskyEnd, endedAt);
  }

  /** Remaining time to wait, in milliseconds. 0 if no call can take effect any more. */
  get restMs(): number {
    return this.#lastRiskyEnd === 0 ? 0 : Math.max(0, this.#lastRiskyEnd + this.#ms - this.#now());
  }
}
