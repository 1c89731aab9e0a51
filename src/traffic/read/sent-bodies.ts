import type { LogPlace } from '../logged-exchange.ts';
import { LastKeys } from './last-keys.ts';

/** Maximum number of bodies that are kept, and of the last calls that are remembered. */
export const MAX_SENT_BODIES = 50_000;

/**
 * The bodies of calls in entries that are no calls. Such an entry may be about a call that the logs show nowhere else. Most of these
 * entries come shortly before or after their call, so their bodies are kept only for a short time.
 */
export class SentBodies {
  /** The places of the bodies, by their `txID`s. */
  readonly #places = new Map<string, LogPlace>();
  /** The `txID`s of the last calls, if they came after the first body. The bodies of these calls need no mention. */
  readonly #shown = new Set<string>();
  readonly #lastShown = new LastKeys<string>(MAX_SENT_BODIES);
  /** True if there was a body, also if it is not kept any more. */
  hasAny = false;
  /** The number of bodies that were left out, because there were too many. */
  lost = 0;

  note(txID: string, place: LogPlace): void {
    this.hasAny = true;
    if (this.#shown.has(txID) || this.#places.has(txID)) return;
    if (this.#places.size >= MAX_SENT_BODIES) this.lost += 1;
    else this.#places.set(txID, place);
  }

  /** Says that a call was read, so an entry with its body needs no mention. */
  markShown(txID: string): void {
    if (!this.hasAny) return;
    this.#places.delete(txID);
    if (this.#shown.has(txID)) return;
    this.#shown.add(txID);
    const oldest = this.#lastShown.add(txID);
    if (oldest !== undefined) this.#shown.delete(oldest);
  }

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  [Symbol.iterator](): MapIterator<[string, LogPlace]> {
    return this.#places.entries();
  }
}
