import type { RulePlace } from '../judged-outcome.ts';

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

/** Minimum number of scenarios of other players in which the rule passes. */
const MIN_PASSED = 3;
/** Minimum share of the scenarios of a player that must fail. */
const MIN_SHARE = 0.75;

/**
 * Returns the players whose calls break a rule, if nearly all their calls do, and no calls of other players. croupier
 * chooses the players of each scenario again in each run. So chance decides in which scenarios such a rule fails. Empty if the failures
 * do not depend on the player.
 *
 * @param tried the places of the rule with a decision
 */
export function failingPlayers(tried: readonly RulePlace[], played: PlayedPlayers): readonly string[] {
  const playersAt = ({ scenario }: RulePlace): readonly string[] => played.get(scenario) ?? [];
  const failing = tried.filter(({ failed }) => failed > 0);
  const players = [...new Set(failing.flatMap(playersAt))].filter((player) => {
    const isOwn = (place: RulePlace): boolean => playersAt(place).includes(player);
    return failing.filter(isOwn).length >= tried.filter(isOwn).length * MIN_SHARE;
  });
  const isOfPlayers = (place: RulePlace): boolean => playersAt(place).some((player) => players.includes(player));
  const others = tried.filter((place) => !isOfPlayers(place));
  return failing.every(isOfPlayers) && others.length >= MIN_PASSED ? players.toSorted() : [];
}
