/** Each bucket reaches so much further than the one before, so that a value read back is off by 1 % at most. */
const STEP = 1.02;
const LOG_STEP = Math.log(STEP);
/** Shorter times count as this: clocks say no more. In milliseconds. */
const SHORTEST = 0.01;
/** Longer times share the last bucket; the greatest of all is known exactly. */
const LONGEST = 600_000;

/** So many replies came within `toMs`, and not within `fromMs`. */
export interface Bucket {
  readonly fromMs: number;
  readonly toMs: number;
  readonly count: number;
}

/**
 * Times in buckets of growing width: any number of them in at most 904 counters, each quantile right to 1 %.
 * Pure: what was added in another order reads the same.
 */
export class Histogram {
  readonly #counts = new Map<number, number>();
  #count = 0;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  /** The greatest time, to the microsecond; 0 while there is none. */
  get maxMs(): number {
    return this.#max;
  }

  add(ms: number): void {
    const at = Math.round(Math.log(Math.min(Math.max(ms, SHORTEST), LONGEST) / SHORTEST) / LOG_STEP);
    this.#counts.set(at, (this.#counts.get(at) ?? 0) + 1);
    this.#count += 1;
    this.#max = Math.max(this.#max, inMicroseconds(ms));
  }

  addAll(other: Histogram): void {
    for (const [at, count] of other.#counts) this.#counts.set(at, (this.#counts.get(at) ?? 0) + count);
    this.#count += other.#count;
    this.#max = Math.max(this.#max, other.#max);
  }

  /** The time within which the given share (0 to 1) of all came; 0 while there is none. */
  quantile(share: number): number {
    const wanted = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    for (const [at, count] of this.#inOrder()) {
      seen += count;
      if (seen >= wanted) return Math.min(inMicroseconds(SHORTEST * STEP ** at), this.#max);
    }
    return this.#max;
  }

  /** The buckets that hold something, shortest first. */
  buckets(): readonly Bucket[] {
    return this.#inOrder().map(([at, count]) => ({
      fromMs: SHORTEST * STEP ** (at - 0.5),
      toMs: SHORTEST * STEP ** (at + 0.5),
      count,
    }));
  }

  #inOrder(): readonly (readonly [at: number, count: number])[] {
    return [...this.#counts].sort(([a], [b]) => a - b);
  }
}

/** Clocks give more digits than they mean. */
function inMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
