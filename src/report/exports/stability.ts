import { EXPECTATION } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { isAboutRaces, type RulePlace } from '../../journal/judged-outcome.ts';
import {
  type Chance,
  chanceOf,
  dependsOnMoment,
  failsRegularly,
  isAboutBrokenConnections,
  isOfAnyBalance,
  isOfBalance,
  MIN_WIDESPREAD,
} from '../../journal/results/chance.ts';
import { failingPlayers, isNoCoincidence, staleReaders } from '../../journal/results/played-players.ts';

/**
 * Says what the next run of the same wallet shows again:
 *
 * - `scenarios`: the rule fails in the same scenarios.
 * - `anywhere`: the rule fails, but perhaps in other scenarios.
 * - `intermittent`: the rule may fail in any scenario, or in none.
 */
export type Stability = 'scenarios' | 'anywhere' | 'intermittent';

/**
 * If at least this number of rules fail in a minority of their scenarios, chance decides which calls fail. A fault of one kind of
 * call breaks fewer rules: croupier attributes its other consequences to the rule that explains them.
 */
const MIN_SCATTERED = 3;

/**
 * True if another run may show further failures of the same faults. In each run, chance decides which player plays a scenario, and
 * which balance this player has. So the failures may differ if only a balance shows them, or if replies are late.
 */
export function mayShowMore(places: readonly RulePlace[]): boolean {
  return places.some((place) => place.failed > 0 && (isOfAnyBalance(place) || place.rule === 'reply.deadline'));
}

/** Finds out from a run what the next run of the same wallet shows again. */
export class Stabilities {
  readonly #fold: Fold;
  readonly #byRule: ReadonlyMap<string, readonly RulePlace[]>;
  readonly #isChance: boolean;
  /** The players whose calls break a rule that the calls of other players do not break. */
  readonly #faulty: ReadonlySet<string>;

  constructor(fold: Fold) {
    this.#fold = fold;
    this.#byRule = Map.groupBy(
      fold.places.filter(({ checks }) => checks > 0),
      keyOf,
    );
    this.#faulty = new Set(
      [...this.#byRule.values()].filter((tried) => this.#isOfPlayers(tried)).flatMap((tried) => failingPlayers(tried)),
    );
    this.#isChance = this.#showsChance();
  }

  /** Returns the places that gave a decision about the rule and the endpoint of a place. */
  tried(place: RulePlace): readonly RulePlace[] {
    return this.#byRule.get(keyOf(place)) ?? [];
  }

  /** @param place a place at which a rule fails */
  of(place: RulePlace): Stability {
    const { rule } = place;
    // An expectation belongs to its scenario.
    if (rule === EXPECTATION) return 'scenarios';
    const tried = this.tried(place);
    const failing = tried.filter(({ failed }) => failed > 0);
    const isRegular = failsRegularly(tried);
    if (dependsOnMoment(rule) || (!isRegular && failing.some(({ isUnrepeated }) => isUnrepeated)))
      return 'intermittent';
    // Some late replies among many come from a slow moment of the wallet, the network or the machine.
    if (rule === 'reply.deadline' && failing.length * 2 <= tried.length) return 'intermittent';
    const { run, races } = this.#fold;
    // Chance decides which scenarios a player plays, so the failures of one player may occur in any scenario.
    if (this.#isOfPlayers(tried) || this.isOfStaleReads(place)) return 'anywhere';
    const isBalance = failing.some(isOfBalance);
    const isRaced = failing.some(({ scenario }) => races.some((race) => race.scenario === scenario));
    if (this.#isChance && !isRegular && isBalance && (failing.length < tried.length || isRaced)) return 'intermittent';
    if (isBalance && this.#comesFromChance(failing, tried)) return 'intermittent';
    // A run of a part of the suite says nothing about the other scenarios.
    if (!run.whole && run.quick === undefined) return 'scenarios';
    const isScattered = isBalance && failing.length * 2 <= tried.length;
    // Failures of ordinary calls can occur in every scenario, because chance decides which player plays a scenario, and which balance
    // this player has.
    return isScattered || failing.length >= MIN_WIDESPREAD ? 'anywhere' : 'scenarios';
  }

  /**
   * The places of failures that have nothing in common except the wrong balance: several rules fail, each in a minority of its
   * scenarios. Empty if chance does not decide which calls fail.
   */
  get scattered(): readonly RulePlace[] {
    const failing = [...this.#byRule.values()]
      .map((all) => ({ all, own: all.filter(({ failed }) => failed > 0) }))
      .filter(({ all, own }) => own.length > 0 && own.length * 2 < all.length && own.every(isOfAnyBalance))
      .filter(({ all }) => !this.#isOfPlayers(all))
      .flatMap(({ own }) => own);
    return new Set(failing.map(({ rule }) => rule)).size < MIN_SCATTERED ? [] : failing;
  }

  /** Says what chance decides about the failures of the rule at a place. */
  chanceOf(place: RulePlace): Chance {
    return chanceOf(this.tried(place));
  }

  /**
   * True if failures that occur by chance explain these failures of another rule. The next run may blame yet another rule for the
   * same fault.
   */
  #comesFromChance(failing: readonly RulePlace[], tried: readonly RulePlace[]): boolean {
    if (chanceOf(tried) !== 'nothing') return false;
    const isOfMoment = ({ scenario }: RulePlace): boolean =>
      this.#fold.places.some(
        (other) => other.scenario === scenario && other.failed > 0 && isAboutBrokenConnections(other.rule),
      );
    if (failing.every(isOfMoment)) return true;
    return failing.length * 2 <= tried.length && [...this.#byRule.values()].some((all) => chanceOf(all) === 'calls');
  }

  /**
   * Returns the players whose calls break the rule at a place. Empty if the failures do not depend on the player. A rule with few
   * scenarios cannot show this. If only players fail whose calls break another rule, their fault breaks this rule too.
   */
  playersOf(place: RulePlace): readonly string[] {
    const tried = this.tried(place);
    if (this.isOfStaleReads(place)) return staleReaders(tried).players;
    if (this.#isOfPlayers(tried)) return failingPlayers(tried);
    const failing = tried.filter(({ failed }) => failed > 0);
    if (failing.some(({ rule, isUnrepeated }) => isUnrepeated || dependsOnMoment(rule))) return [];
    const playing = failing.map(({ players }) => players.filter((one) => this.#faulty.has(one)));
    return playing.every((players) => players.length > 0) ? [...new Set(playing.flat())].toSorted() : [];
  }

  /**
   * True if the calls of other players than `playersOf` returns do not break the rule at a place, and this is no coincidence. Then such a
   * call in a later run shows another fault.
   */
  isOnlyOfPlayers(place: RulePlace): boolean {
    const tried = this.tried(place);
    if (this.isOfStaleReads(place)) return staleReaders(tried).isNoCoincidence;
    return this.#isOfPlayers(tried) && isNoCoincidence(tried, failingPlayers(tried));
  }

  /** True if a run of the whole suite shows that balance calls show old balances, and no other failure of the rule at a place. */
  isOfStaleReads(place: RulePlace): boolean {
    const failing = this.tried(place).filter(({ failed }) => failed > 0);
    return this.#fold.run.whole && failing.length > 0 && failing.every(({ isStaleRead }) => isStaleRead);
  }

  /**
   * True if a run of the whole suite shows that only balances of certain players are wrong, in reads or in replies, and wrong again when it
   * repeats a scenario.
   */
  #isOfPlayers(tried: readonly RulePlace[]): boolean {
    const failing = tried.filter(({ failed }) => failed > 0);
    return (
      this.#fold.run.whole &&
      failing.every(
        (place) =>
          (isOfAnyBalance(place) || place.hasWrongReply) && !place.isUnrepeated && !dependsOnMoment(place.rule),
      ) &&
      failingPlayers(tried).length > 0
    );
  }

  /** True if the run shows that the wallet fails by chance. */
  #showsChance(): boolean {
    const isOnce = (place: RulePlace): boolean => place.isUnrepeated || isAboutRaces(place.rule);
    return this.#fold.places.some((place) => place.failed > 0 && isOnce(place)) || this.scattered.length > 0;
  }
}

function keyOf({ rule, endpoint }: RulePlace): string {
  return `${rule} ${endpoint}`;
}
