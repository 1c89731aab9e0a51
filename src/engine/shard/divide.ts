import { createHash } from 'node:crypto';
import type { Plan } from '../../scenario/plan/plan.ts';
import type { RunnableScenario, SessionAssignment, SessionUnderTest } from '../run-options.ts';
import { isPlayable, playerOf, SessionPool } from '../session-pool.ts';

/** One part of a divided run. */
export interface Part<Scenario extends RunnableScenario> {
  /** The scenarios of this part, in the order of the whole run. */
  readonly scenarios: readonly Scenario[];
  /** The sessions of this part. No other part has sessions of the same players. */
  readonly sessions: readonly SessionUnderTest[];
}

export interface DivisionOptions<Scenario> {
  /** Number of parts: at least 1, and at most the number of players with an active session. */
  readonly count: number;
  /** Maximum number of scenarios that one part plays in parallel. */
  readonly workers: number;
  /** Returns the expected duration of a scenario, in any unit. */
  readonly weightOf: (scenario: Scenario, plan: Plan) => number;
  /** Selects from the possible assignments those that can be used for the plan. */
  readonly fitting: (plan: Plan, assignments: readonly SessionAssignment[]) => readonly SessionAssignment[];
}

/** A scenario with the facts that the division needs. */
interface Load<Scenario> {
  readonly scenario: Scenario;
  readonly weight: number;
  /**
   * The groups of players that can play the scenario. If there is no such group, the part with this scenario reports the reason.
   */
  readonly playerGroups: PlayerGroups;
}

/** A part with the players and scenarios that it has got so far. */
interface OpenPart<Scenario> {
  readonly players: Set<string>;
  readonly given: Set<Scenario>;
  load: number;
}

/** Returns the players with an active session, in the order of their sessions. */
export function playablePlayers(sessions: readonly SessionUnderTest[]): readonly string[] {
  return [...new Set(sessions.filter(isPlayable).map(playerOf))];
}

/**
 * Divides a run into parts that take about the same time and have different players. If a scenario needs several players, they get
 * into one part, as long as every other part still gets a player. A scenario goes to a part that has all its players. The same
 * input always gives the same parts.
 */
export function divide<Scenario extends RunnableScenario>(
  scenarios: readonly Scenario[],
  sessions: readonly SessionUnderTest[],
  options: DivisionOptions<Scenario>,
): readonly Part<Scenario>[] {
  const pool = new SessionPool(sessions);
  const loads = scenarios.map((scenario): Load<Scenario> => {
    const plan = scenario.plan();
    const assignments = pool.assign(plan.needs);
    const fitting = 'reason' in assignments ? [] : options.fitting(plan, assignments);
    return { scenario, weight: options.weightOf(scenario, plan), playerGroups: new PlayerGroups(fitting) };
  });
  const parts: readonly OpenPart<Scenario>[] = openPartsOf(loads, sessions, options.count);
  const heaviestFirst = loads.toSorted(
    (a, b) => b.weight - a.weight || (a.scenario.id < b.scenario.id ? -1 : a.scenario.id > b.scenario.id ? 1 : 0),
  );
  const playable = new Set(playablePlayers(sessions));
  for (const load of heaviestFirst) assignTo(load, parts, playable, options.workers);
  return parts.map(({ players, given }) => ({
    scenarios: scenarios.filter((scenario) => given.has(scenario)),
    sessions: sessions.filter((session) => players.has(playerOf(session))),
  }));
}

/** Returns a hash of a division. Parts with different hashes do not belong to one run. */
export function divisionHash(parts: readonly Part<RunnableScenario>[]): string {
  const text = parts.map(({ scenarios, sessions }) =>
    [...sessions.map(({ sessionID }) => sessionID), '', ...scenarios.map(({ id }) => id)].join('\n'),
  );
  return createHash('sha256').update(text.join('\n\n')).digest('hex').slice(0, 16);
}

/**
 * Divides the players into groups. First puts the players that one scenario needs into the same group. Then puts each other player
 * into the smallest group.
 */
function openPartsOf<Scenario>(
  loads: readonly Load<Scenario>[],
  sessions: readonly SessionUnderTest[],
  count: number,
): readonly OpenPart<Scenario>[] {
  const playable = new Set(playablePlayers(sessions));
  const groups = Array.from({ length: count }, () => new Set<string>());
  let open = loads.map(({ playerGroups }) => playerGroups).filter(({ needSeveral: areSeveral }) => areSeveral);
  for (;;) {
    open = open.filter((playerGroups) => groups.every((group) => playerGroups.smallestWithin(group) === undefined));
    const best = bestUnion(open, groups, playable);
    if (!best) break;
    for (const player of best.playerGroup) groups[best.at]?.add(player);
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

/**
 * Returns the players that must next be put into the same part, because this makes the most scenarios possible. If several sets of
 * players are equal in this respect, returns the set with the fewest players.
 */
function bestUnion(
  open: readonly PlayerGroups[],
  groups: readonly ReadonlySet<string>[],
  playable: ReadonlySet<string>,
): { readonly playerGroup: readonly string[]; readonly at: number } | undefined {
  const unique = new Map(
    open.flatMap(({ all }) => [...all]).map((playerGroup) => [JSON.stringify(playerGroup), playerGroup]),
  );
  let best: { playerGroup: readonly string[]; at: number; serves: number; size: number } | undefined;
  for (const playerGroup of unique.values()) {
    // If one of the players already belongs to a group, the other players join this group. If the players already belong to two
    // different groups, they cannot all be in one group.
    const holding = groups.flatMap((group, at) => (playerGroup.some((player) => group.has(player)) ? [at] : []));
    const at = holding[0] ?? groups.findIndex(({ size }) => size === 0);
    const group = groups[at];
    if (holding.length > 1 || !group) continue;
    const union = new Set([...group, ...playerGroup]);
    if (
      !leavesEnough(
        groups.map((one, index) => (index === at ? union : one)),
        playable,
      )
    )
      continue;
    const serves = open.filter((playerGroups) => playerGroups.smallestWithin(union) !== undefined).length;
    if (!best || serves > best.serves || (serves === best.serves && union.size < best.size))
      best = { playerGroup, at, serves, size: union.size };
  }
  return best;
}

/** `groups` are the players of each part so far. True if there are enough unused players for the parts that have no player yet. */
function leavesEnough(groups: readonly ReadonlySet<string>[], playable: ReadonlySet<string>): boolean {
  const counts = groups.map((group) => countIn(group, playable));
  const free = playable.size - counts.reduce((sum, one) => sum + one, 0);
  return counts.filter((one) => one === 0).length <= free;
}

/**
 * Assigns a scenario to a part that has the players for it. If several parts have them, chooses the part that would be finished
 * first.
 */
function assignTo<Scenario>(
  { scenario, weight, playerGroups }: Load<Scenario>,
  parts: readonly OpenPart<Scenario>[],
  playable: ReadonlySet<string>,
  workers: number,
): void {
  const capable = parts.filter(({ players }) => playerGroups.smallestWithin(players) !== undefined);
  const parallelism = ({ players }: OpenPart<Scenario>): number => Math.min(workers, countIn(players, playable));
  const among = capable.length > 0 ? capable : parts;
  const least = Math.min(...among.map((part) => part.load / parallelism(part)));
  const chosen = among.find((part) => part.load / parallelism(part) === least);
  if (!chosen) return;
  chosen.given.add(scenario);
  // If the players of the part cannot play the scenario, it takes no time. If the scenario needs several players, it keeps all of
  // them busy.
  chosen.load += weight * Math.min(playerGroups.smallestWithin(chosen.players) ?? 0, parallelism(chosen));
}

function countIn(group: ReadonlySet<string>, wanted: ReadonlySet<string>): number {
  return [...group].filter((player) => wanted.has(player)).length;
}

/** Up to this number of players, it is fastest to look up every subset. With more players, it is faster to compare each group. */
const MAX_ENUMERATED = 6;

/** The groups of players that can play a scenario. */
class PlayerGroups {
  readonly #byKey: ReadonlyMap<string, readonly string[]>;
  /** The number of players in the smallest group. */
  readonly #smallest: number;

  constructor(assignments: readonly SessionAssignment[]) {
    const all = assignments.map((assignment) => [...new Set([...assignment.values()].map(playerOf))].sort());
    this.#byKey = new Map(all.map((playerGroup) => [JSON.stringify(playerGroup), playerGroup]));
    this.#smallest = Math.min(...all.map(({ length }) => length));
  }

  get all(): Iterable<readonly string[]> {
    return this.#byKey.values();
  }

  /** False for a scenario that nobody can play. */
  get areAny(): boolean {
    return this.#byKey.size > 0;
  }

  /** True if every group has several players. */
  get needSeveral(): boolean {
    return this.areAny && this.#smallest > 1;
  }

  /**
   * Returns the size of the smallest group of the given players that can play the scenario. Undefined if these players cannot play
   * it.
   */
  smallestWithin(players: ReadonlySet<string>): number | undefined {
    if (players.size < this.#smallest) return undefined;
    const choices = players.size <= MAX_ENUMERATED ? choicesOf([...players].sort()) : this.#byKey.values();
    let least: number | undefined;
    for (const choice of choices) {
      if (least !== undefined && choice.length >= least) continue;
      const fits =
        players.size <= MAX_ENUMERATED
          ? this.#byKey.has(JSON.stringify(choice))
          : choice.every((one) => players.has(one));
      if (fits) least = choice.length;
    }
    return least;
  }
}

/** Returns all non-empty subsets of the players. Each subset keeps the given order. */
function choicesOf(players: readonly string[]): readonly (readonly string[])[] {
  let choices: readonly (readonly string[])[] = [[]];
  for (const player of players) choices = choices.flatMap((choice) => [choice, [...choice, player]]);
  return choices.filter(({ length }) => length > 0);
}
