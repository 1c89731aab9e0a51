/** The result of one measurement, and its limit. */
export interface Measurement {
  readonly what: string;
  /** The measured values of croupier and of what it is compared with, as text for people. */
  readonly detail: string;
  readonly value: number;
  readonly unit: 'times' | 'seconds' | 'milliseconds' | 'calls';
  /** The maximum of `value`. */
  readonly limit: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? upper) + upper) / 2 : upper;
}

/** True if the value is above its limit, or is not a number. */
export function isExceeded({ value, limit }: Measurement): boolean {
  return !(value <= limit);
}

/**
 * Repeats several functions in turn, so that other work of the machine slows all of them alike.
 *
 * @returns the milliseconds of each round, by function; a first round that warms caches is left out
 */
export async function inTurn(rounds: number, things: readonly (() => Promise<number>)[]): Promise<number[][]> {
  const taken: number[][] = things.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, thing] of things.entries()) {
      const ms = await thing();
      if (round > 0) taken[index]?.push(ms);
    }
  }
  return taken;
}
