import { currencyByCode } from '../contract/currencies.ts';
import type { Needs, SessionNeed } from '../scenario/plan.ts';
import type { SessionUnderTest } from './run-options.ts';

/** Which session plays which alias of a scenario. */
export type Casting = ReadonlyMap<string, SessionUnderTest>;

/** Sessions whose player is not given count as one player's: they may share a wallet. */
const NOBODY = '(unnamed player)';

/** Whom a session counts as. */
export function playerOf(session: SessionUnderTest): string {
  return session.player ?? NOBODY;
}

/** It can be played in; another shows only what an operator does with what has expired. */
export function isPlayable(session: SessionUnderTest): boolean {
  return (session.state ?? 'active') === 'active';
}

/** Sessions of one player share a wallet in each currency; of an unnamed player nothing is known, so each has its own. */
export function walletIdOf(session: SessionUnderTest): string {
  return session.player === undefined ? session.sessionID : `${session.player} ${session.currency ?? ''}`;
}

/** What makes a scenario unplayable with the sessions that are configured. */
export interface Uncastable {
  readonly reason: string;
}

/**
 * Hands sessions to scenarios, exclusively by player: what one scenario does to a wallet must not be seen by another.
 */
export class Pool {
  readonly #sessions: readonly SessionUnderTest[];
  readonly #busy = new Set<string>();

  constructor(sessions: readonly SessionUnderTest[]) {
    this.#sessions = sessions;
  }

  get players(): number {
    return new Set(this.#sessions.map(playerOf)).size;
  }

  /** Every casting that would do if all players were free, or why there is none. */
  cast(needs: Needs): readonly Casting[] | Uncastable {
    const castings: Casting[] = [];
    for (const main of this.#sessions.filter((session) => fitsMain(session, needs))) {
      let partial: Map<string, SessionUnderTest>[] = [new Map([['main', main]])];
      for (const [alias, need] of needs.sessions) {
        partial = partial.flatMap((cast) =>
          this.#sessions
            .filter((session) => fits(session, need, main) && ![...cast.values()].includes(session))
            .map((session) => new Map([...cast, [alias, session]])),
        );
      }
      castings.push(...partial);
    }
    // Wallets that are kept by currency alone would not show it between currencies.
    const alike = (casting: Casting): number => new Set([...casting.values()].map(({ currency }) => currency)).size;
    castings.sort((a, b) => alike(a) - alike(b));
    return castings.length > 0 ? castings : { reason: missing(needs, this.#sessions) };
  }

  /** Takes the first casting whose players are all free. */
  take(castings: readonly Casting[]): Casting | undefined {
    const casting = castings.find((one) => [...one.values()].every((session) => !this.#busy.has(playerOf(session))));
    for (const session of casting?.values() ?? []) this.#busy.add(playerOf(session));
    return casting;
  }

  release(casting: Casting): void {
    for (const session of casting.values()) this.#busy.delete(playerOf(session));
  }
}

function fitsMain(session: SessionUnderTest, needs: Needs): boolean {
  if ((session.state ?? 'active') !== (needs.state ?? 'active')) return false;
  const wanted = needs.currency;
  if (!wanted) return true;
  const currency = session.currency === undefined ? undefined : currencyByCode(session.currency);
  if (!currency) return false;
  if (wanted.kind !== undefined && currency.type !== wanted.kind) return false;
  if (wanted.decimals === 'some') return currency.decimals !== 0;
  return wanted.decimals === undefined || currency.decimals === wanted.decimals;
}

function fits(session: SessionUnderTest, need: SessionNeed, main: SessionUnderTest): boolean {
  if ((session.state ?? 'active') !== (need.state ?? 'active')) return false;
  const known = session.player !== undefined && main.player !== undefined;
  if (need.player === 'other' && !(known && session.player !== main.player)) return false;
  if (need.player === 'same' && !(known && session.player === main.player)) return false;
  const games = session.gameID !== undefined && main.gameID !== undefined;
  if (need.game === 'other' && !(games && session.gameID !== main.gameID)) return false;
  if (need.game === 'same' && !(games && session.gameID === main.gameID)) return false;
  const currencies = session.currency !== undefined && main.currency !== undefined;
  if (need.currency === 'other' && !(currencies && session.currency !== main.currency)) return false;
  return need.currency !== 'same' || session.currency === main.currency;
}

function missing(needs: Needs, sessions: readonly SessionUnderTest[]): string {
  if (needs.state === 'expired') return 'needs a session that has expired (`state: expired`)';
  const mains = sessions.filter((session) => fitsMain(session, needs));
  if (mains.length === 0 && needs.currency) {
    const { kind, decimals } = needs.currency;
    const what = [
      kind,
      decimals === 'some'
        ? 'with decimals'
        : decimals === 0
          ? 'without decimals'
          : decimals === undefined
            ? undefined
            : `with ${decimals} decimals`,
    ];
    return `needs a session whose \`currency\` is given and is one ${what.filter(Boolean).join(' ')}`;
  }
  if (mains.length === 0) return 'needs an active session';
  const wishes = [...needs.sessions.values()].flatMap((need) => [
    ...(need.player === 'other' ? ['of another player'] : need.player === 'same' ? ['of the same player'] : []),
    ...(need.game === 'other' ? ['of another game'] : need.game === 'same' ? ['of the same game'] : []),
    ...(need.currency === 'other' ? ['in another currency'] : need.currency === 'same' ? ['in the same currency'] : []),
    ...(need.state === 'expired' ? ['that has expired'] : []),
  ]);
  const fields = [...needs.sessions.values()].flatMap((need) => [
    ...(need.player ? ['`player`'] : []),
    ...(need.game ? ['`gameID`'] : []),
    ...(need.currency ? ['`currency`'] : []),
  ]);
  return `needs a further session ${wishes.join(', ')} (with ${[...new Set(fields)].join(', ')} given for both)`;
}
