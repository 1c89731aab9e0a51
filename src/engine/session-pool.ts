import { currencyByCode } from '../contract/currencies.ts';
import { plural } from '../contract/plural.ts';
import { hasDecimalAmounts } from '../contract/versions.ts';
import type { Needs, SessionNeed } from '../scenario/plan/plan.ts';
import type { MovingCall, RareAmount } from './moving-calls.ts';
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

/** The calls of a scenario, and of the scenarios that are left to play. */
export interface CallsToPlay {
  readonly calls: readonly MovingCall[];
  /** For each kind of call: the number of scenarios of one session that have it and that no player has got yet, with this one. */
  readonly left: Readonly<Record<MovingCall, number>>;
  /** The rare amounts of the scenario. Left out: it has none. */
  readonly amounts?: readonly RareAmount[];
}

const NO_CALLS: CallsToPlay = { calls: [], left: { win: 0, refund: 0 } };

/**
 * Assigns sessions to scenarios. A player takes part in only one scenario at a time. Otherwise another scenario would change the
 * balance of this player's wallet.
 */
export class SessionPool {
  readonly #sessions: readonly SessionUnderTest[];
  readonly #decimalsOf: (session: SessionUnderTest) => number | null;
  readonly #busy = new Set<string>();
  /** Number of scenarios that each player has taken part in: all scenarios, those with wins or refunds, and those with rare amounts. */
  readonly #played = {
    decimals: new Map<string, number>(),
    balance: new Map<string, number>(),
    above: new Map<string, number>(),
    all: new Map<string, number>(),
    win: new Map<string, number>(),
    refund: new Map<string, number>(),
  };

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
   * played the fewest scenarios of one session, because a fault may concern one session only. If the scenario has wins or
   * refunds, the scenarios with such calls are compared first, and before them the scenarios with the same rare amounts. The last
   * of these scenarios are kept for players who have played too few of them. Of several sessions, takes the first assignment, so
   * that every run compares the same players.
   *
   * @returns undefined if no assignment is free, or if the scenario is kept for a player who is not free
   */
  take(
    assignments: readonly SessionAssignment[],
    { calls, left, amounts = [] }: CallsToPlay = NO_CALLS,
  ): SessionAssignment | undefined {
    const free = assignments.filter((one) => [...one.values()].every((session) => !this.#busy.has(playerOf(session))));
    const [first] = free;
    if (!first) return undefined;
    const isOfOne = first.size === 1;
    const isKept = isOfOne && calls.some((call) => this.#isKept(assignments, call, left[call]));
    const alike = isOfOne ? free.filter((one) => currenciesOf(one) === currenciesOf(first)) : [];
    const fitting = isKept ? alike.filter((one) => calls.some((call) => this.#lacks(one, call) > 0)) : alike;
    if (isKept && fitting.length === 0) return undefined;
    const [assignment = first] = fitting.sort(
      (a, b) =>
        sumOf(amounts, (kind) => this.#playedBy(a, kind) - this.#playedBy(b, kind)) ||
        sumOf(calls, (call) => this.#playedBy(a, call) - this.#playedBy(b, call)) ||
        this.#playedBy(a, 'all') - this.#playedBy(b, 'all') ||
        sumOf([...a.values()], (one) => this.#ofSession.get(one.sessionID) ?? 0) -
          sumOf([...b.values()], (one) => this.#ofSession.get(one.sessionID) ?? 0),
    );
    if (isOfOne)
      for (const { sessionID } of assignment.values())
        this.#ofSession.set(sessionID, (this.#ofSession.get(sessionID) ?? 0) + 1);
    for (const player of new Set([...assignment.values()].map(playerOf))) {
      this.#busy.add(player);
      for (const kind of ['all', ...calls, ...amounts] as const)
        this.#played[kind].set(player, (this.#played[kind].get(player) ?? 0) + 1);
    }
    return assignment;
  }

  /** True if the players lack as many scenarios with a call as there are left, and one of them can play this scenario. */
  #isKept(assignments: readonly SessionAssignment[], call: MovingCall, left: number): boolean {
    const lacking = sumOf(
      [...new Map(this.#sessions.filter(isPlayable).map((one) => [playerOf(one), one])).values()],
      (one) => this.#lacks(new Map([['main', one]]), call),
    );
    return left <= lacking && assignments.some((one) => this.#lacks(one, call) > 0);
  }

  /** The number of scenarios with a call that the player of an assignment of one session has played too few. */
  #lacks(assignment: SessionAssignment, call: MovingCall): number {
    return Math.max(0, MIN_SCENARIOS - this.#playedBy(assignment, call));
  }

  #playedBy(assignment: SessionAssignment, kind: 'all' | MovingCall | RareAmount): number {
    return sumOf([...assignment.values()], (session) => this.#played[kind].get(playerOf(session)) ?? 0);
  }

  release(assignment: SessionAssignment): void {
    for (const session of assignment.values()) this.#busy.delete(playerOf(session));
  }
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
