import type { WaitPolicy } from './wait-policy.ts';

/** The steps of a scenario that have got a temporary error in each attempt so far. Such an error counts only after some attempts. */
export class LastingSteps {
  readonly #waitPolicy: WaitPolicy;
  #steps: ReadonlySet<string> | undefined;
  #attempts = 0;

  constructor(waitPolicy: WaitPolicy) {
    this.#waitPolicy = waitPolicy;
  }

  /** True if a step has got a temporary error in each attempt so far. */
  get isAny(): boolean {
    return this.#steps !== undefined && this.#steps.size > 0;
  }

  /** True if a temporary error counts that the step gets in the current attempt, because it is not an error at random. */
  isLasting(step: string): boolean {
    return this.#attempts + 1 >= this.#waitPolicy.attemptsOfLasting && this.#steps?.has(step) === true;
  }

  /**
   * Ends the current attempt.
   *
   * @param turnedAway the steps of this attempt that got a temporary error
   */
  note(turnedAway: ReadonlySet<string>): void {
    const before = this.#steps;
    const steps = new Set([...turnedAway].filter((step) => before?.has(step) !== false));
    this.#attempts += 1;
    this.#steps = steps;
    if (before && steps.size < before.size) this.#waitPolicy.noteRandomFailure();
    if (this.isAny && this.#attempts >= this.#waitPolicy.attemptsOfLasting) this.#waitPolicy.noteLastingFailure();
  }
}
