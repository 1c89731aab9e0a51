import { currencyByCode } from '../contract/currencies.ts';
import { plural } from '../contract/plural.ts';
import { hasDecimalAmounts } from '../contract/versions.ts';
import type { CoreCheck } from '../journal/results/core-check.ts';
import type { Needs, SessionNeed } from '../scenario/plan/plan.ts';
import type { ClientUnderTest, SessionAssignment, SessionUnderTest } from './run-options.ts';
import { statedDecimals } from './stakes.ts';

/** All sessions without a configured player get this one name as their player, because they may share a wallet. */
const UNNAMED_PLAYER = '(unnamed player)';

/** Returns the player of a session. */
export function playerOf(session: SessionUnderTest): string {
  return session.player ?? UNNAMED_PLAYER;
}

/** Returns the ids of all sessions that have the same player as a session. */
export function sessionIDsOfPlayer(
  session: SessionUnderTest,
  sessions: readonly SessionUnderTest[],
): readonly string[] {
  const player = playerOf(session);
  return sessions.filter((one) => playerOf(one) === player).map(({ sessionID }) => sessionID);
}

/**
 * True if scenarios can be played in the session. False for an expired session: only the scenarios that test expired sessions use
 * it.
 */
export function isPlayable(session: SessionUnderTest): boolean {
  return (session.state ?? 'active') === 'active';
}

/**
 * Returns the sessions of the client in which scenarios can be played. Sessions in crypto currencies are left out if amounts must
 * be whole (before version 1.2.11 of the contract) and there are other sessions. The reason is that few players have several whole
 * units of a crypto currency.
 */
export function sessionsToPlay({ contract, sessions }: ClientUnderTest): readonly SessionUnderTest[] {
  if (hasDecimalAmounts(contract)) return sessions;
  const others = sessions.filter(
    ({ currency }) => currency === undefined || currencyByCode(currency)?.type !== 'crypto',
  );
  return others.some(isPlayable) ? others : sessions;
}

/**
 * Returns the id of a session's wallet. The sessions of one player share one wallet for each currency. If the player of a session
 * is not configured, the session counts as a wallet of its own.
 */
export function walletIdOf(session: SessionUnderTest): string {
  return session.player === undefined ? session.sessionID : `${session.player} ${session.currency ?? ''}`;
}

/** The reason why the configured sessions cannot play a scenario. */
export interface Unassignable {
  readonly reason: string;
}

/**
 * Number of scenarios with wins, and with refunds, that each player plays if there are enough of them. A fault may concern the calls of
 * one player only. croupier watches the balance of such a player for a long time, and meanwhile the others would play all scenarios.
 */
const MIN_SCENARIOS = 5;

/**
 * From this scarcity on, a scenario is kept for a player. It is less than 1, because a scenario may have kinds of calls that different
 * players need, and only one of them can play it.
 */
const MIN_SCARCITY = 0.25;

/** A scenario of one session, with the kinds of calls that it tries. */
export interface ScenarioToPlay {
  readonly checks: readonly CoreCheck[];
  readonly needs: Needs;
}

/** The kinds of calls of a scenario, and the scenarios that no player has got yet. */
export interface ChecksToPlay {
  readonly checks: readonly CoreCheck[];
  /** The scenarios of one session that are left, with this one. */
  readonly left: readonly ScenarioToPlay[];
}

const NOBODY: ReadonlyMap<string, number> = new Map();
const NO_CHECKS: ChecksToPlay = { checks: [], left: [] };

/**
 * Assigns sessions to scenarios. A player takes part in only one scenario at a time. Otherwise another scenario would change the
 * balance of this player's wallet.
 */
export class SessionPool {
  readonly #sessions: readonly SessionUnderTest[];
  readonly #decimalsOf: (session: SessionUnderTest) => number | null;
  readonly #busy = new Set<string>();
  /** Number of scenarios that each player has taken part in. */
  readonly #played = new Map<string, number>();
  /** Number of these scenarios that tried a kind of calls, by kind and player. */
  readonly #tried = new Map<string, number>();

  /** Number of scenarios of one session that each session has played. */
  readonly #ofSession = new Map<string, number>();

  /**
   * @param decimalsOf returns the number of decimals of a session's amounts; null if it is not known. Left out: the number
   * that the contract states
   */
  constructor(
    sessions: readonly SessionUnderTest[],
    decimalsOf: (session: SessionUnderTest) => number | null = ({ currency }) =>
      statedDecimals(currency, { decimals: {} }),
  ) {
    this.#sessions = sessions;
    this.#decimalsOf = decimalsOf;
  }

  get players(): number {
    return new Set(this.#sessions.map(playerOf)).size;
  }

  /** Returns every assignment that is possible if all players are free. If there is none, returns the reason. */
  assign(needs: Needs): readonly SessionAssignment[] | Unassignable {
    const assignments: SessionAssignment[] = [];
    for (const main of this.#mains(needs)) {
      let partial: Map<string, SessionUnderTest>[] = [new Map([['main', main]])];
      for (const [alias, need] of needs.sessions) {
        partial = partial.flatMap((assignment) =>
          this.#sessions
            .filter((session) => fits(session, need, main) && ![...assignment.values()].includes(session))
            .map((session) => new Map([...assignment, [alias, session]])),
        );
      }
      assignments.push(...partial);
    }
    // Assignments with fewer currencies come first. An operator may by mistake separate wallets only by currency, and not by
    // player. Two players with different currencies would not show this fault.
    assignments.sort((a, b) => currenciesOf(a) - currenciesOf(b));
    return assignments.length > 0 ? assignments : { reason: missing(needs, this.#mains(needs)) };
  }

  #mains(needs: Needs): readonly SessionUnderTest[] {
    return this.#sessions.filter((session) => fitsMain(session, needs, this.#decimalsOf(session)));
  }

  /**
   * Reserves an assignment whose players are all free. Of the assignments of one session with the fewest currencies, takes the one
   * whose player has played the fewest scenarios. Otherwise, most scenarios would be played by the players that are configured first,
   * and a fault of another player or currency would show in few scenarios. Of the sessions of this player, takes the one that has
   * played the fewest scenarios of one session, because a fault may concern one session only. If the scenario tries some kinds
   * of calls, the scenarios with these kinds are compared first. The last of these scenarios are kept for players who have
   * played too few of them. Of several sessions, takes the first assignment, so that every run compares the same players.
   *
   * @returns undefined if no assignment is free, or if the scenario is kept for a player who is not free
   */
  take(
    assignments: readonly SessionAssignment[],
    { checks, left }: ChecksToPlay = NO_CHECKS,
  ): SessionAssignment | undefined {
    const free = assignments.filter((one) => [...one.values()].every((session) => !this.#busy.has(playerOf(session))));
    const [first] = free;
    if (!first) return undefined;
    const isOfOne = first.size === 1;
    const alike = isOfOne ? free.filter((one) => currenciesOf(one) === currenciesOf(first)) : [];
    const scarcities = isOfOne ? this.#scarcities(assignments, checks, left) : NOBODY;
    const scarcityOf = (one: SessionAssignment): number =>
      Math.max(0, ...[...one.values()].map((session) => scarcities.get(playerOf(session)) ?? 0));
    const highest = Math.max(0, ...scarcities.values());
    const minimum = highest >= 1 ? 1 : highest >= MIN_SCARCITY ? MIN_SCARCITY : 0;
    const fitting = alike.filter((one) => scarcityOf(one) >= minimum);
    if (minimum > 0 && fitting.length === 0) return undefined;
    const [rare, common] = [checks.filter((one) => minimumOf(one) === 1), checks.filter((one) => minimumOf(one) > 1)];
    const [assignment = first] = fitting.sort(
      (a, b) =>
        scarcityOf(b) - scarcityOf(a) ||
        sumOf(rare, (check) => this.#triedBy(a, check) - this.#triedBy(b, check)) ||
        sumOf(common, (check) => this.#triedBy(a, check) - this.#triedBy(b, check)) ||
        this.#playedBy(a) - this.#playedBy(b) ||
        sumOf([...a.values()], (one) => this.#ofSession.get(one.sessionID) ?? 0) -
          sumOf([...b.values()], (one) => this.#ofSession.get(one.sessionID) ?? 0),
    );
    if (isOfOne)
      for (const { sessionID } of assignment.values())
        this.#ofSession.set(sessionID, (this.#ofSession.get(sessionID) ?? 0) + 1);
    for (const player of new Set([...assignment.values()].map(playerOf))) {
      this.#busy.add(player);
      this.#played.set(player, (this.#played.get(player) ?? 0) + 1);
      // In a scenario with several sessions, perhaps only one of the players sends such calls.
      if (isOfOne)
        for (const check of checks)
          this.#tried.set(`${check} ${player}`, (this.#tried.get(`${check} ${player}`) ?? 0) + 1);
    }
    return assignment;
  }

  /**
   * Returns how much each player needs a scenario: the highest scarcity of its kinds of calls. The scarcity is the number of scenarios of the
   * kind that this player, and the players who can play even fewer of them, still need, divided by the number that are left for
   * this player. From 1 on, one of these players tries the kind too few times if somebody else plays the scenario. Players who need
   * no kind are left out.
   */
  #scarcities(
    assignments: readonly SessionAssignment[],
    checks: readonly CoreCheck[],
    left: readonly ScenarioToPlay[],
  ): ReadonlyMap<string, number> {
    const able = new Set(assignments.flatMap((one) => [...one.values()].map(playerOf)));
    const highest = new Map<string, number>();
    for (const check of checks) {
      const needing = [...new Set(this.#sessions.filter(isPlayable).map(playerOf))]
        .map((player) => ({ player, lacks: this.#lacks(player, check), left: this.#leftFor(player, check, left) }))
        .filter(({ lacks, left: own }) => lacks > 0 && own > 0);
      for (const one of needing.filter(({ player }) => able.has(player))) {
        const needed = sumOf(needing, (other) => (other.left <= one.left ? other.lacks : 0));
        // With many scenarios, a kind that each player should try several times is seldom scarce.
        const scarcity = minimumOf(check) > 1 ? Math.floor(needed / one.left) : needed / one.left;
        highest.set(one.player, Math.max(highest.get(one.player) ?? 0, scarcity));
      }
    }
    return highest;
  }

  /** The number of scenarios with a kind of calls that are left and that a player can play. */
  #leftFor(player: string, check: CoreCheck, left: readonly ScenarioToPlay[]): number {
    const own = this.#sessions.filter((session) => playerOf(session) === player);
    return left.filter(
      ({ checks, needs }) =>
        checks.includes(check) && own.some((session) => fitsMain(session, needs, this.#decimalsOf(session))),
    ).length;
  }

  /** The number of scenarios with a kind of calls that a player has played too few. */
  #lacks(player: string, check: CoreCheck): number {
    return Math.max(0, minimumOf(check) - (this.#tried.get(`${check} ${player}`) ?? 0));
  }

  #triedBy(assignment: SessionAssignment, check: CoreCheck): number {
    return sumOf([...assignment.values()], (session) => this.#tried.get(`${check} ${playerOf(session)}`) ?? 0);
  }

  #playedBy(assignment: SessionAssignment): number {
    return sumOf([...assignment.values()], (session) => this.#played.get(playerOf(session)) ?? 0);
  }

  release(assignment: SessionAssignment): void {
    for (const session of assignment.values()) this.#busy.delete(playerOf(session));
  }
}

function minimumOf(check: CoreCheck): number {
  return check === 'win' || check === 'refund' ? MIN_SCENARIOS : 1;
}

function sumOf<Item>(items: readonly Item[], numberOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + numberOf(item), 0);
}

function currenciesOf(assignment: SessionAssignment): number {
  return new Set([...assignment.values()].map(({ currency }) => currency)).size;
}

function fitsMain(session: SessionUnderTest, needs: Needs, decimals: number | null): boolean {
  if ((session.state ?? 'active') !== (needs.state ?? 'active')) return false;
  const wanted = needs.currency;
  if (!wanted) return true;
  if (wanted.code !== undefined && session.currency !== wanted.code) return false;
  const currency = session.currency === undefined ? undefined : currencyByCode(session.currency);
  if (!currency && (wanted.kind !== undefined || decimals === null)) return false;
  if (wanted.kind !== undefined && currency?.type !== wanted.kind) return false;
  if (wanted.decimals === 'some') return decimals !== 0;
  return wanted.decimals === undefined || decimals === wanted.decimals;
}

function fits(session: SessionUnderTest, need: SessionNeed, main: SessionUnderTest): boolean {
  if ((session.state ?? 'active') !== (need.state ?? 'active')) return false;
  const known = session.player !== undefined && main.player !== undefined;
  if (need.player === 'other' && !(known && session.player !== main.player)) return false;
  if (need.player === 'same' && !(known && session.player === main.player)) return false;
  const games = session.gameID !== undefined && main.gameID !== undefined;
  if (need.game === 'other' && !(games && session.gameID !== main.gameID)) return false;
  if (need.game === 'same' && !(games && session.gameID === main.gameID)) return false;
  if (typeof need.currency === 'object') return session.currency === need.currency.code;
  const currencies = session.currency !== undefined && main.currency !== undefined;
  if (need.currency === 'other' && !(currencies && session.currency !== main.currency)) return false;
  return need.currency !== 'same' || session.currency === main.currency;
}

function currencyText(currency: NonNullable<SessionNeed['currency']>): string {
  if (typeof currency === 'object') return currency.code;
  return currency === 'same' ? 'the same currency' : 'another currency';
}

function missing(needs: Needs, mains: readonly SessionUnderTest[]): string {
  if (needs.state === 'expired') return 'the scenario needs an expired session (`state: expired`)';
  if (mains.length === 0 && needs.currency) {
    const { code, kind, decimals } = needs.currency;
    if (code !== undefined) return `the scenario needs a session in ${code}`;
    const what = [
      kind,
      'currency',
      decimals === 'some'
        ? 'with decimals'
        : decimals === 0
          ? 'without decimals'
          : decimals === undefined
            ? undefined
            : `with ${plural(decimals, 'decimal')}`,
    ];
    return ['the scenario needs a session in a configured', ...what].filter(Boolean).join(' ');
  }
  if (mains.length === 0) return 'the scenario needs an active session';
  const wanted = [...needs.sessions.values()].flatMap((need) => [
    ...(need.player === 'other' ? ['of another player'] : need.player === 'same' ? ['of the same player'] : []),
    ...(need.game === 'other' ? ['of another game'] : need.game === 'same' ? ['of the same game'] : []),
    ...(need.currency === undefined ? [] : [`in ${currencyText(need.currency)}`]),
    ...(need.state === 'expired' ? ['that has expired'] : []),
  ]);
  const fields = [...needs.sessions.values()].flatMap((need) => [
    ...(need.player ? ['`player`'] : []),
    ...(need.game ? ['`gameID`'] : []),
    ...(need.currency ? ['`currency`'] : []),
  ]);
  return `the scenario needs another session ${wanted.join(', ')} (with ${[...new Set(fields)].join(', ')} configured for both)`;
}
