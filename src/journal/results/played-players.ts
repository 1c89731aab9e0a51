/** The players who took part in each scenario, by the id of the scenario. */
export type PlayedPlayers = ReadonlyMap<string, readonly string[]>;

/** The scenarios of a run with their sessions, and the configured sessions. */
export interface Participation {
  readonly scenarios: readonly {
    readonly planned: { readonly id: string };
    readonly sessions: Readonly<Record<string, string>>;
  }[];
  readonly run: {
    readonly settings: { readonly sessions: readonly { readonly sessionID: string; readonly player: string | null }[] };
  };
}

/** Returns the players who took part in each scenario. Sessions without a configured player are left out. */
export function playedPlayers({ scenarios, run }: Participation): PlayedPlayers {
  const players = new Map(run.settings.sessions.map(({ sessionID, player }) => [sessionID, player]));
  return new Map(
    scenarios.map(({ planned, sessions }) => [
      planned.id,
      [...new Set(Object.values(sessions).flatMap((sessionID) => players.get(sessionID) ?? []))],
    ]),
  );
}

/** A scenario that gave a decision about a rule. */
interface TriedPlace {
  /** Number of checks that failed. */
  readonly failed: number;
  /** Number of checks that gave a warning. */
  readonly warned: number;
  /** The players who took part in the scenario. */
  readonly players: readonly string[];
}

/** Minimum number of scenarios of other players in which the rule passes. */
const MIN_PASSED = 3;
/** Minimum share of the scenarios of a player that must fail. */
const MIN_SHARE = 0.75;

/**
 * Returns the players who see a rule fail in nearly all their scenarios. If several players took part in a scenario that passed, this
 * says nothing about each of them: perhaps the calls of another one have tested the rule. A scenario that only warned is left out too. In
 * some scenarios, the same wrong balance gives only a warning.
 *
 * @param tried the places of the rule with a decision
 */
export function regularlyFailing(tried: readonly TriedPlace[]): readonly string[] {
  const failing = tried.filter(({ failed }) => failed > 0);
  return [...new Set(failing.flatMap(({ players }) => players))].filter((player) => {
    const own = tried.filter(
      ({ players, failed, warned }) =>
        players.includes(player) && (failed > 0 || (warned === 0 && players.length === 1)),
    );
    return own.filter(({ failed }) => failed > 0).length >= own.length * MIN_SHARE;
  });
}

/**
 * Returns the players whose calls break a rule, if nearly all their calls do, and no calls of other players. croupier
 * chooses the players of each scenario again in each run. So chance decides in which scenarios such a rule fails. Empty if the failures
 * do not depend on the player.
 *
 * @param tried the places of the rule with a decision
 */
export function failingPlayers(tried: readonly TriedPlace[]): readonly string[] {
  const players = regularlyFailing(tried);
  const isOfPlayers = (place: TriedPlace): boolean => place.players.some((player) => players.includes(player));
  const others = tried.filter((place) => !isOfPlayers(place) && place.warned === 0);
  const failing = tried.filter(({ failed }) => failed > 0);
  return failing.every(isOfPlayers) && others.length >= MIN_PASSED ? players.toSorted() : [];
}

/**
 * Returns the players who see a rule fail in a scenario in which no other player took part. A balance call with an old balance is seen only
 * if money has moved before it, so the rule also passes in many scenarios of such a player.
 */
export function playersWithFailures(tried: readonly TriedPlace[]): readonly string[] {
  const failing = tried.filter(({ failed, players }) => failed > 0 && players.length === 1);
  return [...new Set(failing.flatMap(({ players }) => players))].toSorted();
}

/** With a lower chance, it is no coincidence that the failing scenarios of a rule are those of some players. */
const MAX_CHANCE = 0.02;

/**
 * Returns the only players whose balance calls show old balances, and whether this is no coincidence. Empty if all players see them, or
 * if few scenarios of other players tested the rule.
 *
 * @param tried the places of the rule with a decision
 */
export function staleReaders(tried: readonly TriedPlace[]): {
  readonly players: readonly string[];
  readonly isNoCoincidence: boolean;
} {
  const players = playersWithFailures(tried);
  const isOfPlayers = (place: TriedPlace): boolean => place.players.some((player) => players.includes(player));
  const failing = tried.filter(({ failed }) => failed > 0);
  const own = tried.filter(isOfPlayers).length;
  if (!failing.every(isOfPlayers) || tried.length - own < MIN_PASSED) return { players: [], isNoCoincidence: false };
  return { players, isNoCoincidence: (own / tried.length) ** failing.length <= MAX_CHANCE };
}

/**
 * True if it is no coincidence that the failing scenarios of a rule are those of some players. A rule that fails in certain scenarios with
 * every player may fail with one player only, if chance has given all these scenarios to this player. With few scenarios, this is likely.
 *
 * @param tried the places of the rule with a decision
 * @param players the players that `failingPlayers` returns for these places
 */
export function isNoCoincidence(tried: readonly TriedPlace[], players: readonly string[]): boolean {
  const all = new Set(tried.flatMap((place) => place.players));
  const failing = tried.filter(({ failed }) => failed > 0).length;
  return players.length * 2 <= all.size && selections(tried.length, failing) >= MIN_SELECTIONS;
}

/** Minimum number of ways in which chance could have given other scenarios to the players than those that fail. */
const MIN_SELECTIONS = 150;

/** Returns the number of ways to choose some of a number of scenarios. */
function selections(all: number, chosen: number): number {
  const fewer = Math.min(chosen, all - chosen);
  return Array.from({ length: fewer }, (_, at) => at).reduce((ways, at) => (ways * (all - at)) / (at + 1), 1);
}
