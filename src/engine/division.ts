import { createHash } from 'node:crypto';
import type { Plan } from '../scenario/plan.ts';
import type { Casting } from './pool.ts';
import { isPlayable, Pool, playerOf } from './pool.ts';
import type { RunnableScenario, SessionUnderTest } from './run-options.ts';
import { Troupes } from './troupes.ts';

/** One part of a divided run. */
export interface Part<Scenario extends RunnableScenario> {
  /** In the order of the whole. */
  readonly scenarios: readonly Scenario[];
  /** Of players whom no other part has. */
  readonly sessions: readonly SessionUnderTest[];
}

export interface DivisionOptions<Scenario> {
  /** At least 1, and at most as many as there are players with an active session. */
  readonly count: number;
  /** Scenarios of one part that are played side by side, at most. */
  readonly workers: number;
  /** How long a scenario takes, in any unit. */
  readonly weightOf: (scenario: Scenario, plan: Plan) => number;
  /** Of the castings that the sessions allow, those that will do. */
  readonly fitting: (plan: Plan, castings: readonly Casting[]) => readonly Casting[];
}

/** A scenario as far as the division is about it. */
interface Load<Scenario> {
  readonly scenario: Scenario;
  readonly weight: number;
  /** Who can play it; nobody: whoever gets it says why. */
  readonly troupes: Troupes;
}

/** The players of a part, and what they have been given to play. */
interface Company<Scenario> {
  readonly players: Set<string>;
  readonly given: Set<Scenario>;
  load: number;
}

/** Players that can play, in the order of their sessions: a session that has expired alone makes no player. */
export function playablePlayers(sessions: readonly SessionUnderTest[]): readonly string[] {
  return [...new Set(sessions.filter(isPlayable).map(playerOf))];
}

/**
 * Divides a run into parts that take about the same time, each with players of its own. Players who are needed together stay
 * together as far as there are enough of them for all parts; a scenario goes where there is whom it needs.
 *
 * The same is always divided in the same way.
 */
export function divide<Scenario extends RunnableScenario>(
  scenarios: readonly Scenario[],
  sessions: readonly SessionUnderTest[],
  options: DivisionOptions<Scenario>,
): readonly Part<Scenario>[] {
  const pool = new Pool(sessions);
  const loads = scenarios.map((scenario): Load<Scenario> => {
    const plan = scenario.plan();
    const castings = pool.cast(plan.needs);
    const fitting = 'reason' in castings ? [] : options.fitting(plan, castings);
    return { scenario, weight: options.weightOf(scenario, plan), troupes: new Troupes(fitting) };
  });
  const companies: readonly Company<Scenario>[] = companiesOf(loads, sessions, options.count);
  const heaviestFirst = loads.toSorted(
    (a, b) => b.weight - a.weight || (a.scenario.id < b.scenario.id ? -1 : a.scenario.id > b.scenario.id ? 1 : 0),
  );
  const playable = new Set(playablePlayers(sessions));
  for (const load of heaviestFirst) give(load, companies, playable, options.workers);
  return companies.map(({ players, given }) => ({
    scenarios: scenarios.filter((scenario) => given.has(scenario)),
    sessions: sessions.filter((session) => players.has(playerOf(session))),
  }));
}

/** The same for divisions that are the same, so that parts of different ones are not taken for parts of one. */
export function divisionHash(parts: readonly Part<RunnableScenario>[]): string {
  const text = parts.map(({ scenarios, sessions }) =>
    [...sessions.map(({ sessionID }) => sessionID), '', ...scenarios.map(({ id }) => id)].join('\n'),
  );
  return createHash('sha256').update(text.join('\n\n')).digest('hex').slice(0, 16);
}

/** Who plays with whom: first those whom a scenario needs together, then everybody where the fewest are. */
function companiesOf<Scenario>(
  loads: readonly Load<Scenario>[],
  sessions: readonly SessionUnderTest[],
  count: number,
): readonly Company<Scenario>[] {
  const playable = new Set(playablePlayers(sessions));
  const groups = Array.from({ length: count }, () => new Set<string>());
  let open = loads.map(({ troupes }) => troupes).filter(({ areSeveral }) => areSeveral);
  for (;;) {
    open = open.filter((troupes) => groups.every((group) => troupes.leastOf(group) === undefined));
    const best = bestUnion(open, groups, playable);
    if (!best) break;
    for (const player of best.troupe) groups[best.at]?.add(player);
  }
  const placed = new Set(groups.flatMap((group) => [...group]));
  const rest = [...new Set(sessions.map(playerOf))].filter((player) => !placed.has(player));
  const place = (player: string, sizeOf: (group: ReadonlySet<string>) => number): void => {
    const smallest = Math.min(...groups.map(sizeOf));
    groups.find((group) => sizeOf(group) === smallest)?.add(player);
  };
  for (const player of rest) if (playable.has(player)) place(player, (group) => countIn(group, playable));
  for (const player of rest) if (!playable.has(player)) place(player, ({ size }) => size);
  return groups.map((players) => ({ players, given: new Set<Scenario>(), load: 0 }));
}

/** The players to be brought together next: those that make the most scenarios possible, of equals the fewest players. */
function bestUnion(
  open: readonly Troupes[],
  groups: readonly ReadonlySet<string>[],
  playable: ReadonlySet<string>,
): { readonly troupe: readonly string[]; readonly at: number } | undefined {
  const unique = new Map(open.flatMap(({ all }) => [...all]).map((troupe) => [JSON.stringify(troupe), troupe]));
  let best: { troupe: readonly string[]; at: number; serves: number; size: number } | undefined;
  for (const troupe of unique.values()) {
    // Who is in two groups already can't be brought together; who is in one draws the others there.
    const holding = groups.flatMap((group, at) => (troupe.some((player) => group.has(player)) ? [at] : []));
    const at = holding[0] ?? groups.findIndex(({ size }) => size === 0);
    const group = groups[at];
    if (holding.length > 1 || !group) continue;
    const union = new Set([...group, ...troupe]);
    if (
      !leavesEnough(
        groups.map((one, index) => (index === at ? union : one)),
        playable,
      )
    )
      continue;
    const serves = open.filter((troupes) => troupes.leastOf(union) !== undefined).length;
    if (!best || serves > best.serves || (serves === best.serves && union.size < best.size))
      best = { troupe, at, serves, size: union.size };
  }
  return best;
}

/** Every group that has none yet can be given a player. */
function leavesEnough(groups: readonly ReadonlySet<string>[], playable: ReadonlySet<string>): boolean {
  const counts = groups.map((group) => countIn(group, playable));
  const free = playable.size - counts.reduce((sum, one) => sum + one, 0);
  return counts.filter((one) => one === 0).length <= free;
}

/** To the company that would be done first, of those that have the players. */
function give<Scenario>(
  { scenario, weight, troupes }: Load<Scenario>,
  companies: readonly Company<Scenario>[],
  playable: ReadonlySet<string>,
  workers: number,
): void {
  const able = companies.filter(({ players }) => troupes.leastOf(players) !== undefined);
  const hands = ({ players }: Company<Scenario>): number => Math.min(workers, countIn(players, playable));
  const among = able.length > 0 ? able : companies;
  const least = Math.min(...among.map((company) => company.load / hands(company)));
  const chosen = among.find((company) => company.load / hands(company) === least);
  if (!chosen) return;
  chosen.given.add(scenario);
  // What nobody can play takes no time; what needs several keeps them all busy.
  chosen.load += weight * Math.min(troupes.leastOf(chosen.players) ?? 0, hands(chosen));
}

function countIn(group: ReadonlySet<string>, wanted: ReadonlySet<string>): number {
  return [...group].filter((player) => wanted.has(player)).length;
}
