import type { RuleResult } from '../rule-result.ts';
import { failingPlayers, type PlayedPlayers } from './played-players.ts';

/**
 * True if the breaches of a rule may explain a failure in a scenario. A fault may concern the calls of some players only. Then it explains
 * nothing in a scenario of other players.
 */
export function mayExplainIn(scenario: string, { places }: RuleResult, played: PlayedPlayers): boolean {
  const own = played.get(scenario) ?? [];
  const failing = failingPlayers(places.filter(({ checks }) => checks > 0));
  return own.length === 0 || failing.length === 0 || own.some((player) => failing.includes(player));
}
