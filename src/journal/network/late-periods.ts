/**
 * Groups the late replies of a run into periods. If the operator or a server between pauses once, the replies to all calls in flight
 * are late together. This happens when an operator has just started, for example. So the replies that end within one deadline after
 * the first late reply belong to one period.
 */
export class LatePeriods {
  readonly #deadlineMs: number;
  /** The times at which the first late reply of each period ended. */
  readonly #starts: number[] = [];

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Adds a late reply. @param endMs the time at which the reply ended, or at which croupier stopped waiting */
  add(endMs: number): void {
    const isKnown = this.#starts.some((start) => Math.abs(endMs - start) < this.#deadlineMs);
    if (!isKnown) this.#starts.push(endMs);
  }
}
