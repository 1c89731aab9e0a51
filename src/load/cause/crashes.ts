/** Minimum number of calls that fail one after another, with no success between them, before this counts as a crash. */
const FEW = 3;
/** If calls fail one after another by chance with at most this probability, this counts as a crash. */
const UNLIKELY = 0.000_001;
/** Highest probability that a call fails by chance. Without a limit, a crash of a very bad operator would never be noticed. */
const MOST_LIKELY = 0.5;
/**
 * The first failed call may be noticed before the last replies from before the crash. So a call that was answered within this time
 * after the first failure, in milliseconds, may still have been processed before the crash.
 */
export const NOTICED_MS = 20;
/** Maximum number of times that are kept. */
const MAX_KEPT = 1000;

/** Several calls that fail one after another, with no success between them. */
interface Row {
  readonly since: number;
  /** Number of calls that the operator had accepted before. */
  readonly accepted: number;
  /** Number of calls that must fail before this counts as a crash. */
  readonly needed: number;
  failed: number;
}

/**
 * Notices when the operator may have crashed: connections are refused, or several calls fail one after another. If single calls often
 * fail, as with a bad network, several of them fail one after another by chance. Then more of them are needed.
 */
export class Crashes {
  readonly #times: number[] = [];
  #row: Row | undefined;
  /** Number of rows so far. */
  #rows = 0;

  /**
   * Notes a call that failed, although croupier did not close its connection.
   *
   * @param accepted the number of calls that the operator has accepted so far
   */
  failed(at: number, isRefused: boolean, accepted: number): void {
    if (this.#row?.accepted !== accepted) {
      this.#row = { since: at, accepted, needed: neededFor(this.#rows, accepted), failed: 0 };
      this.#rows += 1;
    }
    const row = this.#row;
    row.failed += isRefused ? row.needed : 1;
    if (row.failed < row.needed || this.#times.at(-1) === row.since) return;
    this.#times.push(row.since);
    if (this.#times.length > MAX_KEPT) this.#times.shift();
  }

  /** The times of the possible crashes. For one crash there may be several times. */
  get times(): readonly number[] {
    return this.#times.flatMap((at) => [at, at + NOTICED_MS]);
  }
}

/**
 * Returns the number of calls that must fail one after another before this counts as a crash. If calls fail independently of each
 * other, the number of rows divided by the number of accepted calls is the probability that a call fails. A long outage is one row,
 * so it hardly changes this probability.
 */
function neededFor(rows: number, accepted: number): number {
  if (rows === 0) return FEW;
  const probability = Math.min(MOST_LIKELY, rows / Math.max(1, accepted));
  return Math.max(FEW, Math.ceil(Math.log(UNLIKELY) / Math.log(probability)));
}
