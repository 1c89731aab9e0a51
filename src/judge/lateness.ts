import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import { PLAIN_EFFECTS } from './suspects.ts';

/** So often it is waited in vain for something that was never seen to come late. */
const ENOUGH_IN_VAIN = 2;
/** And so often where something was. */
const MOST_IN_VAIN = 20;
/** Once may be a coincidence of numbers. */
const ENOUGH_SIGHTINGS = 2;

/** A pause is longer than what was seen, by so much. */
const CAUTION = 1.2;
const LEAST_PAUSE_MS = 20;

/**
 * What a run has seen of effects that the next read did not show: calls of one kind that are booked late, or reads that are
 * behind whatever was moved. It is known to all stories of the run, so that each fault is told once and the rest is judged by
 * reads that waited for it.
 */
export class Lateness {
  readonly #kinds = new Set<CallName>();
  #sightings = 0;
  #healed = false;
  #inVain = 0;
  #longestMs = 0;
  #leftMs: number;

  /** @param budgetMs for so long, all in all, a run waits for what shows late; after that it is only told */
  constructor(budgetMs = Number.POSITIVE_INFINITY) {
    this.#leftMs = budgetMs;
  }

  /**
   * A read has left out calls of these kinds, which were to be in it.
   *
   * @param healed they were in it when it was repeated a little later
   */
  saw(kinds: Iterable<CallName>, healed: boolean): void {
    for (const kind of kinds) this.#kinds.add(kind);
    this.#sightings += 1;
    if (healed) this.#healed = true;
  }

  /** It took so many ms until a read had caught up. */
  lasted(ms: number): void {
    this.#longestMs = Math.max(this.#longestMs, ms);
  }

  /** So many ms were spent on waiting. */
  waited(ms: number): void {
    this.#leftMs -= ms;
  }

  /** A read that was repeated told the same. */
  waitedInVain(): void {
    this.#inVain += 1;
  }

  /** The one rule that is broken by it: where calls of several kinds are late, it is the reads. */
  get rule(): RuleId | undefined {
    const [only, ...others] = this.#kinds;
    if (only === undefined) return undefined;
    return others.length > 0 ? 'balance.read' : PLAIN_EFFECTS[only]?.rule;
  }

  /** It was seen often enough to explain what was found before it was known. */
  get isSure(): boolean {
    return this.#sightings >= ENOUGH_SIGHTINGS;
  }

  /** Reads are known to catch up, so those that are judged wait for it. */
  get isWaitedFor(): boolean {
    return this.#healed && this.isWorthWaiting;
  }

  /** False once waiting has helped nothing. */
  get isWorthWaiting(): boolean {
    return this.#leftMs > 0 && this.#inVain < (this.#healed ? MOST_IN_VAIN : ENOUGH_IN_VAIN);
  }

  /** True where all calls of these kinds may show late. */
  covers(kinds: readonly CallName[]): boolean {
    return this.#kinds.size > 1 || kinds.every((kind) => this.#kinds.has(kind));
  }

  /** How long a read is to wait for what was sent before it; 0 while nothing was seen to be late. */
  get pauseMs(): number {
    return this.isWaitedFor ? Math.max(LEAST_PAUSE_MS, this.#longestMs * CAUTION) : 0;
  }
}
