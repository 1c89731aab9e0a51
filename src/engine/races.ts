import type { Plan } from '../scenario/plan.ts';

/** In which manner the calls of a race are let go. */
export interface Release {
  /** In the order in which the story has them, or the other way round. */
  readonly reversed: boolean;
  /** So many ms after the first half the second half follows; 0: all at once. */
  readonly staggerMs: number;
  /** By how much the times (`at`) that the story gives the calls are multiplied. */
  readonly scale: number;
}

/** What decides how often a story with a race is told. */
export interface RaceOptions {
  /** Exactly so often, unless it has shown something before; undefined: a few times, as long as that does not take long. */
  readonly raceRounds?: number | undefined;
  readonly deadlineMs: number;
  readonly now: () => number;
}

/** So many calls are let go in all, where that leaves it at a sensible number of rounds: small races are the rarer to hit. */
const CALLS = 48;
const FEWEST_ROUNDS = 4;
const MOST_ROUNDS = 12;
/** After this part of the deadline no further round is begun. */
const ROUNDS_TAKE = 0.3;
/** A race in which nothing overlapped is tried so often, also when time is up. */
const TRIES = 3;

// Windows of calls of one kind lie at the same distance from their arrival, so they meet best when the calls leave at
// once. Of calls of different kinds one may look where the other writes only some milliseconds later. Stories name what
// should come first first, so the other way round is tried a little oftener.
const MIXED: readonly Omit<Release, 'scale'>[] = [
  { reversed: false, staggerMs: 0 },
  { reversed: true, staggerMs: 0 },
  { reversed: true, staggerMs: 1 },
  { reversed: false, staggerMs: 1 },
  { reversed: true, staggerMs: 3 },
  { reversed: false, staggerMs: 3 },
  { reversed: true, staggerMs: 0 },
  { reversed: true, staggerMs: 7 },
];

const CLOSER: readonly number[] = [1, 0.25];

/** True when telling the story again may show what one telling missed: a race whose calls all leave at the same instant. */
export function hasRace({ steps }: Plan): boolean {
  return steps.some((step) => step.kind === 'together' && step.steps.every(({ deviations }) => !deviations.trickle));
}

/** What the races of one scenario have brought so far, over all rounds. */
export class Races {
  readonly #options: RaceOptions;
  readonly #since: number;
  /** By step: the calls of one round, and how many overlapped over all rounds. */
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
   * @param kinds of the calls that race each other
   * @param isTimed the story says when each leaves
   */
  release(kinds: readonly string[], isTimed = false): Release {
    // An operator may be quicker than the story has it, so that nothing meets: then the calls move closer.
    if (isTimed) return { reversed: false, staggerMs: 0, scale: CLOSER[this.#misses] ?? 0 };
    const manner = new Set(kinds).size > 1 ? MIXED[(this.#round - 1) % MIXED.length] : undefined;
    return { ...(manner ?? { reversed: this.#round % 2 === 0, staggerMs: 0 }), scale: 1 };
  }

  landed(step: string, calls: number, overlapped: number): void {
    const seen = this.#seen.get(step) ?? { calls, overlapped: 0 };
    seen.overlapped += overlapped;
    this.#seen.set(step, seen);
  }

  /** In some race too few calls overlapped for its passing to mean anything. */
  get missed(): boolean {
    return [...this.#seen.values()].some(isMissed);
  }

  /** Another round is worth its while, and the budget allows it. */
  get wantsAnother(): boolean {
    const { raceRounds, deadlineMs, now } = this.#options;
    if (this.missed && this.#round < TRIES) return true;
    if (raceRounds !== undefined) return this.#round < raceRounds;
    const calls = [...this.#seen.values()].reduce((sum, seen) => sum + seen.calls, 0);
    const rounds = Math.min(MOST_ROUNDS, Math.max(FEWEST_ROUNDS, Math.ceil(CALLS / calls)));
    return this.#round < rounds && now() - this.#since < deadlineMs * ROUNDS_TAKE;
  }

  next(): void {
    if (this.missed) this.#misses += 1;
    this.#round += 1;
  }

  /** What was seen of the race that was missed. */
  get described(): string {
    const missed = [...this.#seen.values()].find(isMissed);
    const times = this.#round === 1 ? '' : ` in ${this.#round} rounds`;
    return missed?.overlapped
      ? `of ${missed.calls} calls that were sent at once only ${missed.overlapped} were in flight together with another${times}`
      : `no two of the calls that were sent at once were in flight together${times}`;
  }
}

function isMissed({ calls, overlapped }: { readonly calls: number; readonly overlapped: number }): boolean {
  return overlapped < Math.max(2, Math.ceil(calls / 2));
}
