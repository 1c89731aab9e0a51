import { type Casting, playerOf } from './pool.ts';

/** Up to so many players every choice of them is looked up; more are compared with each troupe. */
const FEW = 6;

/** The players of each casting of a scenario that would do. */
export class Troupes {
  readonly #byKey: ReadonlyMap<string, readonly string[]>;
  /** The size of the smallest. */
  readonly #least: number;

  constructor(castings: readonly Casting[]) {
    const all = castings.map((casting) => [...new Set([...casting.values()].map(playerOf))].sort());
    this.#byKey = new Map(all.map((troupe) => [JSON.stringify(troupe), troupe]));
    this.#least = Math.min(...all.map(({ length }) => length));
  }

  get all(): Iterable<readonly string[]> {
    return this.#byKey.values();
  }

  /** False for a scenario that nobody can play. */
  get areAny(): boolean {
    return this.#byKey.size > 0;
  }

  /** Every one of them has several players. */
  get areSeveral(): boolean {
    return this.areAny && this.#least > 1;
  }

  /** How many of these players the smallest troupe among them needs; undefined: they can't play it by themselves. */
  leastOf(players: ReadonlySet<string>): number | undefined {
    if (players.size < this.#least) return undefined;
    const choices = players.size <= FEW ? choicesOf([...players].sort()) : this.#byKey.values();
    let least: number | undefined;
    for (const choice of choices) {
      if (least !== undefined && choice.length >= least) continue;
      const fits =
        players.size <= FEW ? this.#byKey.has(JSON.stringify(choice)) : choice.every((one) => players.has(one));
      if (fits) least = choice.length;
    }
    return least;
  }
}

/** Every choice of at least one of them, each in the order given. */
function choicesOf(players: readonly string[]): readonly (readonly string[])[] {
  let choices: readonly (readonly string[])[] = [[]];
  for (const player of players) choices = choices.flatMap((choice) => [choice, [...choice, player]]);
  return choices.filter(({ length }) => length > 0);
}
