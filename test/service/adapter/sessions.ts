import type { ServiceClient } from '../../../src/service/client.ts';
import type { GameSession } from '../../../src/service/game-sessions.ts';
import { KEY } from './operator-front.ts';

/** The deadline of a call in the tests, much shorter than the five seconds of the contract. */
export const DEADLINE_MS = 150;

export const QUICK = { initialMs: 10, factor: 1.5, maxMs: 40, jitter: 0.5 };

export function clientAt(url: string): ServiceClient {
  return { cID: 'c', extCID: 'acme', apiKey: 'core-key', integrationApiKey: KEY, integratorBaseUrl: url };
}

export function sessionOf(player = 'p0', gameID = 'catch'): GameSession {
  return {
    gsID: `gs-${player}-${gameID}`,
    cID: 'c',
    extCID: 'acme',
    sessionID: `${gameID === 'catch' ? 's' : 't'}-${player}`,
    player,
    currency: 'USD',
    locale: 'en_us',
    gameID,
    demo: false,
    openedAt: 0,
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
}
