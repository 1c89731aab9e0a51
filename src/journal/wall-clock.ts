import type { JournalEvent } from './event.ts';

/**
 * Knows when the moments of a journal were. It tells the time of day once, when a run begins; all else it tells by a clock that
 * shows milliseconds since some moment of its own.
 */
export class WallClock {
  #began = Number.NaN;
  /** What the monotonic clock showed when the run began, as near as the journal tells. */
  #origin: number | null = null;

  /** Takes the events in their order; one journal may hold several runs. */
  take(event: JournalEvent): void {
    if (event.event === 'run-started') {
      this.#began = Date.parse(event.startedAt);
      this.#origin = null;
    } else if (event.event === 'scenario-started') this.#origin ??= event.at;
    else if (event.event === 'received') this.#origin ??= event.stamps.start;
  }

  /** Milliseconds since 1970 of a stamp; null: not known. */
  at(stamp: number): number | null {
    return Number.isNaN(this.#began) || this.#origin === null ? null : this.#began + stamp - this.#origin;
  }
}
