import type { Needs, SessionNeed } from '../../scenario/plan/plan.ts';
import type { SessionPool } from '../session-pool.ts';
import type { CurrencyChoice, Player, PlayerSetup } from './operation.ts';

/** The kinds of currencies that a wallet may treat differently. Null: any currency. */
const CURRENCY_CHOICES: readonly (CurrencyChoice | null)[] = [
  null,
  { kind: 'fiat', decimals: 2 },
  { kind: 'fiat', decimals: 0 },
  { kind: 'crypto' },
  { kind: 'virtual' },
];

/** The session that each player needs in addition to the main session. */
export const SESSION_NEEDS: Readonly<Record<Exclude<Player, 'main'>, SessionNeed>> = {
  other: { player: 'other', currency: 'same' },
  second: { player: 'same', game: 'other', currency: 'same' },
  onlooker: { player: 'other', currency: 'other' },
};
const OTHER_PLAYERS = ['other', 'second', 'onlooker'] as const;

/** Returns the player setups that the configured sessions allow. Returns an empty list if no session is usable. */
export function playerSetups(pool: SessionPool): PlayerSetup[] {
  return CURRENCY_CHOICES.flatMap((currency): PlayerSetup[] => {
    const sessions = new Map<string, SessionNeed>();
    const isPossible = () => !('reason' in pool.assign(needing(currency, sessions)));
    if (!isPossible()) return [];
    for (const player of OTHER_PLAYERS) {
      sessions.set(player, SESSION_NEEDS[player]);
      if (!isPossible()) sessions.delete(player);
    }
    const players = OTHER_PLAYERS.filter((player) => sessions.has(player));
    return [{ currency, players: new Set<Player>(['main', ...players]) }];
  });
}

function needing(currency: CurrencyChoice | null, sessions: ReadonlyMap<string, SessionNeed>): Needs {
  return {
    ...(currency && { currency }),
    otherClient: false,
    earlierRun: false,
    campaign: false,
    largeAmounts: false,
    launches: false,
    sessions,
  };
}
