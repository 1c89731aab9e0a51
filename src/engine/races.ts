import type { Plan } from '../scenario/plan/plan.ts';

/** The way in which the calls of a race are released. */
export interface Release {
  /** False: in the order of the scenario. True: in the opposite order. */
  readonly reversed: boolean;
  /** Delay of the second half of the calls after the first half, in ms; 0: all at once. */
  readonly staggerMs: number;
  /** The factor by which the times (`at`) of the scenario are multiplied. */
  readonly scale: number;
}

/** The settings that decide how often a race scenario is repeated. */
export interface RaceOptions {
  /** Exact number of rounds, unless a round finds a problem. Undefined: a few, as long as they do not take long. */
  readonly raceRounds?: number | undefined;
  readonly deadlineMs: number;
  readonly now: () => number;
}

/** Number of calls to release in all rounds together: a small race needs more rounds, because it is hit less often. */
const TARGET_CALLS = 48;
const MIN_ROUNDS = 4;
const MAX_ROUNDS = 12;
/** No further round begins after this part of the deadline. */
const DEADLINE_SHARE = 0.3;
/** A race without overlapping calls is repeated this number of times, even if the time is over. */
const MIN_TRIES = 3;

// The critical moment of calls of one kind comes at the same time after their arrival, so such calls meet best if they leave at
// once. With calls of different kinds, one may read what the other writes only some milliseconds later. Scenarios name first the
// call that should come first, so the opposite order is tried a little more often.
const MIXED_RELEASES: readonly Omit<Release, 'scale'>[] = [
  { reversed: false, staggerMs: 0 },
  { reversed: true, staggerMs: 0 },
  { reversed: true, staggerMs: 1 },
  { reversed: false, staggerMs: 1 },
  { reversed: true, staggerMs: 3 },
  { reversed: false, staggerMs: 3 },
  { reversed: true, staggerMs: 0 },
  { reversed: true, staggerMs: 7 },
];

const SCALES: readonly number[] = [1, 0.25];

/** True if a repetition may show what one round missed: a race whose calls all leave at the same instant. */
export function hasRace({ steps }: Plan): boolean {
  return steps.some((step) => step.kind === 'together' && step.steps.every(({ deviations }) => !deviations.trickle));
}

/** The results of the races of one scenario, over all rounds. */
export class Races {
  readonly #options: RaceOptions;
  readonly #since: number;
  /** By step: the number of calls in one round, and the number of overlapping calls over all rounds. */
  readonly #seen = new Map<string, { readonly calls: number; overlapped: number }>();
  #round = 1;
  #misses = 0;

  constructor(options: RaceOptions) {
    this.#options = options;
    this.#since = options.now();
  }

  /** Counted from 1. */
  get round(): number {
    return this.#round;
  }

  /**
   * @param kinds the kinds of the calls that race each other
   * @param isTimed true if the scenario says when each call leaves
   */
  release(kinds: readonly string[], isTimed = false): Release {
    // A fast operator may answer each call before the next one leaves. Then the calls move closer together.
    if (isTimed) return { reversed: false, staggerMs: 0, scale: SCALES[this.#misses] ?? 0 };
    const manner = new Set(kinds).size > 1 ? MIXED_RELEASES[(this.#round - 1) % MIXED_RELEASES.length] : undefined;
    return { ...(manner ?? { reversed: this.#round % 2 === 0, staggerMs: 0 }), scale: 1 };
  }

  noteOverlap(step: string, calls: number, overlapped: number): void {
    const seen = this.#seen.get(step) ?? { calls, overlapped: 0 };
    seen.overlapped += overlapped;
    this.#seen.set(step, seen);
  }

  /** True if too few calls of some race overlapped, so that its success means nothing. */
  get missed(): boolean {
    return [...this.#seen.values()].some(isMissed);
  }

  /** True if another round is useful and within the limits. */
  get wantsAnother(): boolean {
    const { raceRounds, deadlineMs, now } = this.#options;
    if (this.missed && this.#round < MIN_TRIES) return true;
    if (raceRounds !== undefined) return this.#round < raceRounds;
    const calls = [...this.#seen.values()].reduce((sum, seen) => sum + seen.calls, 0);
    const rounds = Math.min(MAX_ROUNDS, Math.max(MIN_ROUNDS, Math.ceil(TARGET_CALLS / calls)));
    return this.#round < rounds && now() - this.#since < deadlineMs * DEADLINE_SHARE;
  }

  next(): void {
    if (this.missed) this.#misses += 1;
    this.#round += 1;
  }

  /** A message about the race whose calls did not overlap. */
  get missedText(): string {
    const missed = [...this.#seen.values()].find(isMissed);
    const times = this.#round === 1 ? '' : ` in ${this.#round} rounds`;
    return missed?.overlapped
      ? `of ${missed.calls} calls that were sent at once, only ${missed.overlapped} overlapped with another one${times}`
      : `none of the calls that were sent at once overlapped${times}`;
  }
}

function isMissed({ calls, overlapped }: { readonly calls: number; readonly overlapped: number }): boolean {
  return overlapped < Math.max(2, Math.ceil(calls / 2));
}
