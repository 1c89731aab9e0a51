import type { CoreCheck } from '../../journal/results/core-check.ts';
import type { ChecksOfPlayer } from '../../journal/results/tried-checks.ts';
import type { RunSummary, SummarySession } from './run-summary.ts';

/** The parts of an earlier run that a later run did not test. */
export interface LostCoverage {
  /**
   * Endpoints at which a rule was judged in the earlier run but not in the later run, although the rule itself was judged in both.
   */
  readonly goneEndpoints: readonly { readonly id: string; readonly endpoint: string }[];
  /** Scenarios that gave a decision in the earlier run, but were left out or skipped in the later run. */
  readonly goneScenarios: readonly string[];
  /** The kinds of calls that the earlier run tried with a player, and the later run tried only with other players. */
  readonly goneChecks: readonly ChecksOfPlayer[];
  /** The sessions that are missing now, as sentences. */
  readonly fewerSessions: readonly string[];
}

/** Finds what the later run did not test. Rules that were not judged at all are not part of the result. */
export function lostCoverage(before: RunSummary, now: RunSummary): LostCoverage {
  return {
    goneEndpoints: before.judged.flatMap(({ id, endpoints }) => {
      const later = now.judged.find((rule) => rule.id === id);
      if (!later || later.endpoints.length === 0) return [];
      return endpoints.filter((one) => !later.endpoints.includes(one)).map((endpoint) => ({ id, endpoint }));
    }),
    goneScenarios: before.decided.filter((id) => !now.tried.includes(id)),
    goneChecks: checksOfFewerPlayers(before, now),
    fewerSessions: before.sessions && now.sessions ? missingSessions(before.sessions, now.sessions) : [],
  };
}

/**
 * With at most this number of players, the suite has enough scenarios for each kind of calls, so chance does not decide which player gets
 * none.
 */
const MAX_SURE_PLAYERS = 3;

/** Returns the kinds of calls that fewer players tried in the later run, by player, if chance does not explain it. */
function checksOfFewerPlayers(before: RunSummary, now: RunSummary): readonly ChecksOfPlayer[] {
  const [earlier, later] = [before.triedChecks, now.triedChecks];
  if (!earlier || !later) return [];
  const isGone = (check: CoreCheck): boolean => {
    const [was, is] = [earlier, later].map(
      ({ players }) => players.filter(({ checks }) => checks.includes(check)).length,
    );
    const fewerScenarios = (later.scenarios[check] ?? 0) < (earlier.scenarios[check] ?? 0);
    return (
      is !== undefined &&
      was !== undefined &&
      is > 0 &&
      is < was &&
      (fewerScenarios || later.players.length <= MAX_SURE_PLAYERS)
    );
  };
  return earlier.players.flatMap(({ player, checks }) => {
    const own = later.players.find((one) => one.player === player);
    const gone = checks.filter((check) => own && !own.checks.includes(check) && isGone(check));
    return gone.length === 0 ? [] : [{ player, checks: gone }];
  });
}

/**
 * Returns the player of the failures of a rule, if the rule was not tried again with this player. All its failures were in scenarios about
 * this rule with this player only, and the later run played no scenario about the rule with this player. Perhaps only the calls of this
 * player break the rule. Undefined in all other cases, and if a run does not name the players of its scenarios.
 */
export function untriedPlayer(id: string, before: RunSummary, now: RunSummary): string | undefined {
  const failing = before.judged.find((rule) => rule.id === id)?.failing ?? [];
  const places = failing.map(({ scenario }) => before.played?.find((one) => one.id === scenario));
  const [player, ...others] = new Set(places.flatMap((place) => place?.players ?? []));
  const isOfRule = places.every((place) => place?.players.length === 1 && place.rules.includes(id));
  if (player === undefined || others.length > 0 || !isOfRule || !now.played) return undefined;
  const isConfigured = now.sessions?.some((one) => one.player === player && one.state === 'active') === true;
  const isTried = now.played.some((one) => one.rules.includes(id) && one.players.includes(player));
  return isConfigured && !isTried ? player : undefined;
}

function missingSessions(before: readonly SummarySession[], now: readonly SummarySession[]): readonly string[] {
  const counts = [
    ['session', ({ length }: readonly SummarySession[]) => length],
    ['player', (all: readonly SummarySession[]) => new Set(all.map(({ player }) => player)).size],
    ['expired session', (all: readonly SummarySession[]) => all.filter(({ state }) => state === 'expired').length],
    ['game', (all: readonly SummarySession[]) => new Set(all.map(({ gameID }) => gameID)).size],
  ] as const;
  const fewer = counts.flatMap(([noun, of]) =>
    of(now) < of(before) ? [`${of(now)} ${noun}${of(now) === 1 ? '' : 's'} now, ${of(before)} before`] : [],
  );
  const currencies = new Set(before.map(({ currency }) => currency));
  for (const { currency } of now) currencies.delete(currency);
  const lost = [...currencies].filter((currency) => currency !== null);
  return [...fewer, ...(lost.length === 0 ? [] : [`no session in ${lost.join(', ')} now`])];
}
