/** Number of calls that fail one after another, with no success between them, before this counts as a crash. */
const FEW = 3;
/**
 * The first failed call may be noticed before the last replies from before the crash. So a call that was answered within this time
 * after the first failure, in milliseconds, may still have been processed before the crash.
 */
export const NOTICED_MS = 20;
/** Maximum number of times that are kept. */
const MAX_KEPT = 1000;

/** Notices when the operator may have crashed: connections are refused, or several calls fail one after another. */
export class Crashes {
  readonly #times: number[] = [];
  #row: { readonly since: number; readonly accepted: number; failed: number } | undefined;

  /**
   * Notes a call that failed, although croupier did not close its connection.
   *
   * @param accepted the number of calls that the operator has accepted so far
   */
  failed(at: number, isRefused: boolean, accepted: number): void {
    if (this.#row?.accepted !== accepted) this.#row = { since: at, accepted, failed: 0 };
    const row = this.#row;
    row.failed += isRefused ? FEW : 1;
    if (row.failed < FEW || this.#times.at(-1) === row.since) return;
    this.#times.push(row.since);
    if (this.#times.length > MAX_KEPT) this.#times.shift();
  }

  /** The times of the possible crashes. For one crash there may be several times. */
  get times(): readonly number[] {
    return this.#times.flatMap((at) => [at, at + NOTICED_MS]);
  }
}
