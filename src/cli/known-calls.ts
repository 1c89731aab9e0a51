import type { CallPaths } from '../incident/seen-call.ts';
import type { KnownSession } from '../incident/story/story.ts';
import type { Configuration } from './configuration.ts';

/** Who plays in the sessions of the configuration, and in which currency. */
export function knownSessions({ config }: Configuration): ReadonlyMap<string, KnownSession> {
  const sessions = (config.clients ?? []).flatMap((client) => client.sessions ?? []);
  return new Map(
    sessions.map(({ sessionID, player, currency }) => [
      sessionID,
      { player: player ?? null, currency: currency ?? null },
    ]),
  );
}

/** Where the endpoints of the configuration's clients lie, when not where the contract has them. */
export function callPaths({ config }: Configuration): CallPaths {
  const all = (config.clients ?? []).flatMap(({ paths }) =>
    (['balance', 'bet', 'win', 'refund'] as const).flatMap((call) => {
      const where = paths?.[call];
      return where === undefined ? [] : [[where.replace(/\/+$/, ''), call] as const];
    }),
  );
  return new Map(all);
}
