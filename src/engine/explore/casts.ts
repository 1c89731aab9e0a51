import type { Needs, SessionNeed } from '../../scenario/plan.ts';
import type { Pool } from '../pool.ts';
import type { Cast, CurrencyWish, Player } from './operation.ts';

/** Kinds of currencies in which wallets differ. */
const WISHES: readonly (CurrencyWish | null)[] = [
  null,
  { kind: 'fiat', decimals: 2 },
  { kind: 'fiat', decimals: 0 },
  { kind: 'crypto' },
  { kind: 'virtual' },
];

const NEEDED: Readonly<Record<Exclude<Player, 'main'>, SessionNeed>> = {
  other: { player: 'other', currency: 'same' },
  second: { player: 'same', game: 'other', currency: 'same' },
  onlooker: { player: 'other', currency: 'other' },
};
const FURTHER = ['other', 'second', 'onlooker'] as const;

/** The ways in which histories can be cast with the configured sessions; empty: there is no session to play with. */
export function castsOf(pool: Pool): Cast[] {
  return WISHES.flatMap((currency): Cast[] => {
    const sessions = new Map<string, SessionNeed>();
    const isPossible = () => !('reason' in pool.cast(needing(currency, sessions)));
    if (!isPossible()) return [];
    for (const player of FURTHER) {
      sessions.set(player, NEEDED[player]);
      if (!isPossible()) sessions.delete(player);
    }
    const players = FURTHER.filter((player) => sessions.has(player));
    return [{ currency, players: new Set<Player>(['main', ...players]) }];
  });
}

function needing(currency: CurrencyWish | null, sessions: ReadonlyMap<string, SessionNeed>): Needs {
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
