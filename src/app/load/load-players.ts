import { plural } from '../../contract/plural.ts';
import type { ClientUnderTest, SessionUnderTest } from '../../engine/run-options.ts';
import { isPlayable, sessionsToPlay, walletIdOf } from '../../engine/session-pool.ts';
import type { LoadWallet } from '../../load/load.ts';
import { type Arrivals, highestRate } from '../../load/schedule.ts';
import { UsageError } from '../exit-status.ts';

/** Highest number of calls per second that one player makes. A player waits for each reply before the next call. */
export const CALLS_PER_PLAYER = 50;

/**
 * Divides the sessions of a client by wallet.
 *
 * @throws UsageError if there are too few players for the load
 */
export function loadWallets(
  client: ClientUnderTest,
  arrivals: Arrivals,
  maxPlayers: number | undefined,
): readonly LoadWallet[] {
  const playable = new Set(sessionsToPlay(client).filter(isPlayable));
  const indexed = client.sessions
    .map((session, index) => ({ session, index }))
    .filter(({ session }) => playable.has(session));
  refuseUnnamedPlayers(
    client,
    indexed.map(({ session }) => session),
  );
  const wallets = [...Map.groupBy(indexed, ({ session }) => walletIdOf(session))].map(
    ([, all]): LoadWallet => ({
      player: all[0]?.session.player ?? all[0]?.session.sessionID ?? '',
      currency: all[0]?.session.currency,
      sessions: all.map(({ session: { sessionID }, index }) => ({ sessionID, index })),
    }),
  );
  const wanted = arrivals.kind === 'closed' ? arrivals.players : maxPlayers;
  const needed = arrivals.kind === 'closed' ? arrivals.players : Math.ceil(highestRate(arrivals) / CALLS_PER_PLAYER);
  const available = Math.min(wallets.length, maxPlayers ?? wallets.length);
  if (available < needed) throw tooFew(client, arrivals, available, needed);
  return wallets.slice(0, wanted ?? wallets.length);
}

/**
 * Refuses a list of several sessions if one session has no `player`. This session may have the same wallet as another session of
 * the list. Then the calls of one session would make the balance of the other session look wrong.
 */
function refuseUnnamedPlayers({ extCID }: ClientUnderTest, sessions: readonly SessionUnderTest[]): void {
  const unnamed = sessions.find(({ player }) => player === undefined);
  if (!unnamed || sessions.length === 1) return;
  throw new UsageError(
    `The session ${unnamed.sessionID} of ${extCID} has no player, so it may share a wallet with another session. Nothing was sent.\nGive each session its \`player\`, as in --session ${unnamed.sessionID},player=p1,currency=EUR.`,
  );
}

function tooFew({ extCID }: ClientUnderTest, arrivals: Arrivals, available: number, needed: number): UsageError {
  const load =
    arrivals.kind === 'closed'
      ? `--closed ${arrivals.players}`
      : `${plural(highestRate(arrivals), 'call')} per second, with at most ${CALLS_PER_PLAYER} for each player,`;
  return new UsageError(
    `${load} needs ${plural(needed, 'player')}, but ${extCID} has sessions of ${available}. Nothing was sent.\nConfigure more sessions, each with its \`player\` and its \`currency\`, or let sessionsFrom open them. Or choose a lower load.`,
  );
}
