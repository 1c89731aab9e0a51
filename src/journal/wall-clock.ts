import type { JournalEvent } from './event.ts';

/**
 * Converts the stamps of a journal to the time of day. A journal has the time of day only at the start of a run. All
 * other stamps are milliseconds of a monotonic clock.
 */
export class WallClock {
  #began = Number.NaN;
  /**
   * The stamp of the first event after the start of the run. It is the best estimate of the monotonic clock's time at the start.
   * Null before that event.
   */
  #origin: number | null = null;

  /**
   * Takes the next event of the journal. The events must be in order. A journal may contain several runs, so a new start may
   * follow.
   */
  take(event: JournalEvent): void {
    if (event.event === 'run-started') {
      this.#began = Date.parse(event.startedAt);
      this.#origin = null;
    } else if (event.event === 'scenario-started') this.#origin ??= event.at;
    else if (event.event === 'received') this.#origin ??= event.stamps.start;
  }

  /** Returns a stamp as milliseconds since 1970, or null if the start of the run is unknown. */
  at(stamp: number): number | null {
    return Number.isNaN(this.#began) || this.#origin === null ? null : this.#began + stamp - this.#origin;
  }
}
