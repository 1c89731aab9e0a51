import { z } from 'zod';
import { PLATFORMS, type Platform } from '../contract/core-api.ts';
import { DAY_MS } from '../contract/limits.ts';
import type { Database } from '../sqlite/database.ts';
import { RecordTable } from './record-table.ts';

/** A game that was launched: one player, in one game and currency, until it expires. */
export interface GameSession {
  /** The service's own id, a UUID. Never sent in reverse calls (contract, Identifiers). */
  readonly gsID: string;
  readonly cID: string;
  readonly extCID: string;
  /** The operator's reference, which each reverse call carries. In demo mode it may be empty, as nothing is called there. */
  readonly sessionID: string;
  /** The operator's `user.id`; in demo mode without one the `gsID`, so that the balance belongs to this session alone. */
  readonly player: string;
  readonly currency: string;
  readonly locale: string;
  readonly gameID: string;
  /** Played with the service's own demo balance, without reverse calls. */
  readonly demo: boolean;
  /**
   * The address to which the player goes back, when the game was not launched in an iframe. It is as the operator sent it: a page
   * must link to http and https only.
   */
  readonly returnUrl?: string;
  /** The address at which the player can deposit; as unsafe as `returnUrl`. */
  readonly depositUrl?: string;
  readonly platform?: Platform;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** Milliseconds since 1970. From then on no round begins; open rounds are still settled. */
  readonly expiresAt: number;
}

export const sessionSchema: z.ZodType<GameSession> = z.object({
  gsID: z.uuid(),
  cID: z.string(),
  extCID: z.string(),
  sessionID: z.string(),
  player: z.string(),
  currency: z.string(),
  locale: z.string(),
  gameID: z.string(),
  demo: z.boolean(),
  returnUrl: z.string().exactOptional(),
  depositUrl: z.string().exactOptional(),
  platform: z.enum(PLATFORMS).exactOptional(),
  openedAt: z.number(),
  expiresAt: z.number(),
});

/** An expired session is kept for this time, so that its player reads that it expired, and not that there is no such game. */
const KEPT_MS = DAY_MS;

export interface GameSessionsOptions {
  readonly database: Database;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether a round of the session is not finished, so that the session must not be deleted. */
  readonly hasOpenRounds?: (gsID: string) => boolean;
}

/** The game sessions by `gsID`. Those that expired a day ago and owe nothing are deleted. */
export class GameSessions {
  readonly #byId = new Map<string, GameSession>();
  readonly #table: RecordTable<GameSession>;
  readonly #now: () => number;
  readonly #hasOpenRounds: (gsID: string) => boolean;

  /** @throws DatabaseError when the database holds a session that can't be read */
  constructor({ database, now, hasOpenRounds = () => false }: GameSessionsOptions) {
    this.#now = now;
    this.#hasOpenRounds = hasOpenRounds;
    this.#table = sessionTable(database);
    database.atomically(() => {
      for (const session of this.#table.all()) {
        if (this.#isObsolete(session)) this.#table.delete(session.gsID);
        else this.#byId.set(session.gsID, session);
      }
    });
  }

  open(session: GameSession): void {
    this.#deleteObsolete();
    this.#table.put(session);
    this.#byId.set(session.gsID, session);
  }

  byId(gsID: string): GameSession | undefined {
    return this.#byId.get(gsID);
  }

  /** Oldest first, with the expired ones that are still kept. */
  all(): readonly GameSession[] {
    return [...this.#byId.values()];
  }

  isExpired(session: GameSession): boolean {
    return this.#now() >= session.expiresAt;
  }

  #isObsolete(session: GameSession): boolean {
    return this.#now() >= session.expiresAt + KEPT_MS && !this.#hasOpenRounds(session.gsID);
  }

  /** The map is in the order of opening, so that two checks at each launch keep it small. */
  #deleteObsolete(): void {
    let checks = 2;
    for (const session of this.#byId.values()) {
      if (checks === 0) return;
      checks -= 1;
      if (!this.#isObsolete(session)) continue;
      this.#table.delete(session.gsID);
      this.#byId.delete(session.gsID);
    }
  }
}

/** @throws DatabaseError when the database holds a session that can't be read */
export function sessionTable(database: Database): RecordTable<GameSession> {
  return new RecordTable(database, 'session', sessionSchema, ({ gsID }) => gsID);
}
