import type { JournalEvent } from './event.ts';

/**
 * Converts the stamps of a journal to the time of day. A journal holds the time of day once, at the start of a run; all other
 * stamps are milliseconds of a monotonic clock.
 */
export class WallClock {
  #began = Number.NaN;
  /** The monotonic clock at the start of the run, as exactly as the journal shows. */
  #origin: number | null = null;

  /** Takes the events in order. One journal may hold several runs. */
  take(event: JournalEvent): void {
    if (event.event === 'run-started') {
      this.#began = Date.parse(event.startedAt);
      this.#origin = null;
    } else if (event.event === 'scenario-started') this.#origin ??= event.at;
    else if (event.event === 'received') this.#origin ??= event.stamps.start;
  }

  /** A stamp as milliseconds since 1970; null: unknown. */
  at(stamp: number): number | null {
    return Number.isNaN(this.#began) || this.#origin === null ? null : this.#began + stamp - this.#origin;
  }
}
