import type { Plan } from '../scenario/plan/plan.ts';

/** The way in which the calls of a race are released. */
export interface Release {
  /** False: the calls are released in the order of the scenario. True: in the opposite order. */
  readonly reversed: boolean;
  /** Delay between the first half and the second half of the calls, in milliseconds. 0: all calls are released at once. */
  readonly staggerMs: number;
  /** The times (`at`) in the scenario are multiplied by this factor. */
  readonly scale: number;
}

/** The settings that decide how often a scenario with a race is repeated. */
export interface RaceOptions {
  /**
   * Number of rounds. A race ends earlier only if a round finds a problem. Undefined: croupier chooses the number, depending on how
   * long the rounds take.
   */
  readonly raceRounds?: number | undefined;
  readonly deadlineMs: number;
  readonly now: () => number;
}

/**
 * Number of calls to release in all rounds together. With this limit, a race with few calls gets more rounds. It needs them,
 * because a round with few calls is less likely to show a fault.
 */
const TARGET_CALLS = 48;
const MAX_ROUNDS = 12;
/** The minimum number of rounds, even if the operator is far away or slow. */
const MIN_ROUNDS = 2;
/** After {@link MIN_ROUNDS}, no further round begins if the rounds have taken more than this share of the deadline. */
const DEADLINE_SHARE = 0.05;
/**
 * Before {@link MIN_ROUNDS} is reached, no further round begins if the rounds have taken more than this larger share of the
 * deadline.
 */
const LONG_DEADLINE_SHARE = 0.3;
/** If the calls of a race did not overlap, the race is repeated at least this number of times, even if the time is over. */
const MIN_TRIES = 3;

// The ways to release calls of different kinds. Calls of the same kind take the same time at the operator, so they overlap best if
// they are sent at the same moment. Calls of different kinds may read and write the same data some milliseconds apart, so croupier
// also tries delays. A scenario lists first the call that must arrive first, but the opposite order is tried a little more often.
// If the operator is far away, there are only 2 rounds. So the first two ways in this list are as different as possible.
const MIXED_RELEASES: readonly Omit<Release, 'scale'>[] = [
  { reversed: false, staggerMs: 0 },
  { reversed: true, staggerMs: 0 },
  { reversed: true, staggerMs: 3 },
  { reversed: false, staggerMs: 1 },
  { reversed: true, staggerMs: 1 },
  { reversed: false, staggerMs: 3 },
  { reversed: true, staggerMs: 0 },
  { reversed: true, staggerMs: 7 },
];

const SCALES: readonly number[] = [1, 0.25];

/**
 * True if the scenario has a race whose calls all leave at the same instant. Such a scenario must be played several times, because
 * one try may miss a fault.
 */
export function hasRace({ steps }: Plan): boolean {
  return steps.some((step) => step.kind === 'together' && step.steps.every(({ deviations }) => !deviations.trickle));
}

/** The results of all races of one scenario, over all rounds. Here, a round is one repetition of the scenario. */
export class Races {
  readonly #options: RaceOptions;
  readonly #since: number;
  /** For each step, the number of calls in one round and the number of overlapping calls in all rounds. */
  readonly #seen = new Map<string, { readonly calls: number; overlapped: number }>();
  #round = 1;
  #misses = 0;

  constructor(options: RaceOptions) {
    this.#options = options;
    this.#since = options.now();
  }

  /** The number of the current round, counted from 1. */
  get round(): number {
    return this.#round;
  }

  /**
   * Returns the way in which the calls of the current round are released.
   *
   * @param kinds the kinds of the calls that race each other
   * @param isTimed true if the scenario says when each call is sent
   */
  release(kinds: readonly string[], isTimed = false): Release {
    // A fast operator may answer a call before the next call is sent. Then the calls do not overlap. After each such round, the
    // delays between the calls are made shorter.
    if (isTimed) return { reversed: false, staggerMs: 0, scale: SCALES[this.#misses] ?? 0 };
    const manner = new Set(kinds).size > 1 ? MIXED_RELEASES[(this.#round - 1) % MIXED_RELEASES.length] : undefined;
    return { ...(manner ?? { reversed: this.#round % 2 === 0, staggerMs: 0 }), scale: 1 };
  }

  noteOverlap(step: string, calls: number, overlapped: number): void {
    const seen = this.#seen.get(step) ?? { calls, overlapped: 0 };
    seen.overlapped += overlapped;
    this.#seen.set(step, seen);
  }

  /** True if too few calls of a race overlapped. Then it proves nothing that the race passed. */
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
    const share = this.#round < MIN_ROUNDS ? LONG_DEADLINE_SHARE : DEADLINE_SHARE;
    return this.#round < rounds && now() - this.#since < deadlineMs * share;
  }

  next(): void {
    if (this.missed) this.#misses += 1;
    this.#round += 1;
  }

  /** A message about the first race whose calls did not overlap. */
  get missedText(): string {
    const missed = [...this.#seen.values()].find(isMissed);
    const times = this.#round === 1 ? '' : ` in ${this.#round} rounds of the race`;
    return missed?.overlapped
      ? `croupier sent ${missed.calls} calls at once, but only ${missed.overlapped} of them overlapped with another call${times}`
      : `croupier sent the calls of a race at once, but none of them overlapped with another call${times}`;
  }
}

function isMissed({ calls, overlapped }: { readonly calls: number; readonly overlapped: number }): boolean {
  return overlapped < Math.max(2, Math.ceil(calls / 2));
}
