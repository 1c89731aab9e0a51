import { currencyByCode } from '../../contract/currencies.ts';
import { plural } from '../../contract/plural.ts';
import type { Verdict } from '../finding.ts';
import { CORE_CHECK_IDS, CORE_CHECKS, type CoreCheck } from './core-check.ts';

/** The scenarios of a run with their sessions, and the configured sessions. */
interface Played {
  readonly scenarios: readonly {
    readonly state: string;
    readonly verdict: Verdict;
    readonly sessions: Readonly<Record<string, string>>;
    readonly checks?: readonly CoreCheck[] | undefined;
  }[];
  readonly sessions: readonly {
    readonly sessionID?: string | undefined;
    readonly player: string | null;
    readonly currency: string | null;
    readonly state: string;
  }[];
}

/** A player, and kinds of calls. */
export interface ChecksOfPlayer {
  readonly player: string;
  readonly checks: readonly CoreCheck[];
}

/** Returns the kinds of calls that a run tried with each player who has an active session and a name. Skipped scenarios do not count. */
export function triedChecks({ scenarios, sessions }: Played): readonly ChecksOfPlayer[] {
  const players = new Map(sessions.map(({ sessionID, player }) => [sessionID, player]));
  const tried = new Map<string, Set<CoreCheck>>();
  for (const { player, state } of sessions) if (player !== null && state === 'active') tried.set(player, new Set());
  for (const { sessions: own, checks = [] } of scenarios.filter(isTried)) {
    for (const sessionID of Object.values(own))
      for (const check of checks) tried.get(players.get(sessionID) ?? '')?.add(check);
  }
  return [...tried].map(([player, checks]) => ({
    player,
    checks: CORE_CHECK_IDS.filter((check) => checks.has(check)),
  }));
}

/** Returns the number of scenarios that tried each kind of calls. Skipped scenarios do not count. */
export function triedScenarios({ scenarios }: Pick<Played, 'scenarios'>): Readonly<Partial<Record<CoreCheck, number>>> {
  const all = scenarios.filter(isTried).flatMap(({ checks = [] }) => checks);
  return Object.fromEntries(CORE_CHECK_IDS.map((check) => [check, all.filter((one) => one === check).length]));
}

function isTried({ state, verdict }: Played['scenarios'][number]): boolean {
  return state === 'ended' && verdict !== 'skip' && verdict !== 'untested';
}

/**
 * Returns the players who did not get some kinds of calls that a run tried with other players. A fault of such a player would not show
 * in these calls. Amounts with decimals do not count for a player whose currencies have none.
 */
export function untriedChecks(played: Played): readonly ChecksOfPlayer[] {
  const tried = triedChecks(played);
  const all = CORE_CHECK_IDS.filter((check) => tried.some(({ checks }) => checks.includes(check)));
  return tried
    .map(({ player, checks }) => ({
      player,
      checks: all.filter((check) => !checks.includes(check) && (!isOfDecimals(check) || hasDecimals(player, played))),
    }))
    .filter(({ checks }) => checks.length > 0);
}

/** Maximum number of players that the sentence names. */
const MAX_PLAYERS = 3;

/**
 * Says with which players a run did not try kinds of calls. Null if it tried all kinds with each player, or if the user selected scenarios.
 *
 * @param run.isPart true if the user selected some scenarios
 */
export function untriedText(played: Played, run: { readonly isPart: boolean }): string | null {
  const untried = run.isPart ? [] : untriedChecks(played);
  if (untried.length === 0) return null;
  if (untried.length > MAX_PLAYERS)
    return `Some kinds of calls were not tried with ${plural(untried.length, 'player')}, because too few scenarios have them, so a fault of one player may not show. The key \`untried\` of the JSON report names the calls and the players.`;
  const named = untried.map((one) => `with ${one.player}: ${checksText(one.checks)}`);
  return `Not tried ${named.join('; ')}. Other players made such calls, so a fault of one player may not show.`;
}

/** Names kinds of calls. */
export function checksText(checks: readonly CoreCheck[]): string {
  return checks.map((check) => CORE_CHECKS[check]).join(', ');
}

function isOfDecimals(check: CoreCheck): boolean {
  return check === 'decimal-bet' || check === 'decimal-win';
}

function hasDecimals(player: string, { sessions }: Played): boolean {
  return sessions.some(
    (one) => one.player === player && one.currency !== null && currencyByCode(one.currency)?.decimals !== 0,
  );
}
