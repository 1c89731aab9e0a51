import type { Outcome, Stamps } from '../journal/exchange.ts';
import type { Departure } from './departure.ts';
import type { InFlight } from './in-flight.ts';
import type { Lane } from './lane.ts';

/** What came of one call. */
export interface Landing {
  readonly outcome: Outcome;
  readonly stamps: Stamps;
  /** null when there never was one. */
  readonly connection: { readonly id: number; readonly reused: boolean } | null;
}

/** A call under way. */
export interface Flight {
  /**
   * Resolves, never rejects, once all bytes are out that may go: all of them, or all but the last one of a call that is
   * held. Also when the call failed before.
   */
  readonly ready: Promise<void>;
  /** Lets the last byte of a held call go. Does nothing to others. */
  release(): void;
  /** Never rejects. */
  readonly landing: Promise<Landing>;
}

/** What a call needs to know, and whom to tell when it is over. */
export interface FlightPlan {
  readonly method: 'GET' | 'POST';
  readonly head: string;
  readonly body: Uint8Array | null;
  /** null: leaves at once, in one piece. */
  readonly departure: Departure | null;
  readonly deadlineMs: number;
  readonly maxReplyBytes: number;
  readonly now: () => number;
  /** Called once, when the call has landed. `clean`: its connection could carry another. */
  onLanded(flight: InFlight, lane: Lane | null, clean: boolean): void;
  /** Nothing was written yet when the kept-alive connection of the call turned out to be closed. */
  onUnsent(flight: InFlight, lane: Lane): void;
}
