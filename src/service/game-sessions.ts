import { z } from 'zod';
import { PLATFORMS, type Platform } from '../contract/core-api.ts';
import { DAY_MS } from '../contract/limits.ts';
import type { Database } from '../sqlite/database.ts';
import { RecordTable } from './record-table.ts';

/** A game session: the launch of one game by one player in one currency, until it expires. */
export interface GameSession {
  /** The service's own id of the session, a UUID. Reverse calls never carry it (contract, Identifiers). */
  readonly gsID: string;
  readonly cID: string;
  readonly extCID: string;
  /**
   * The operator's id of the session. Each reverse call carries this id. The id may be empty in demo mode, because demo mode
   * makes no reverse calls.
   */
  readonly sessionID: string;
  /** The operator's `user.id`. In demo mode without a `user.id` it is the `gsID`, so that the session has its own balance. */
  readonly player: string;
  readonly currency: string;
  readonly locale: string;
  readonly gameID: string;
  /** If true, the session plays with the service's own demo balance, and no reverse calls are made. */
  readonly demo: boolean;
  /**
   * The address to which the player returns, if the game is not shown in an iframe. The service does not check this address. So
   * a page may link to it only if it is an http or https address.
   */
  readonly returnUrl?: string;
  /**
   * The address at which the player can deposit money. As with `returnUrl`, a page may link to this address only if it is an http
   * or https address.
   */
  readonly depositUrl?: string;
  readonly platform?: Platform;
  /** The time of the launch, in milliseconds since 1970. */
  readonly openedAt: number;
  /**
   * The time when the session expires, in milliseconds since 1970. After this time, no round begins, but open rounds are still
   * settled.
   */
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

/**
 * The milliseconds for which an expired session is kept. During this time, its page says that the game has expired. After that,
 * the page says that the game is unknown.
 */
const KEPT_MS = DAY_MS;

export interface GameSessionsOptions {
  readonly database: Database;
  /** Returns the milliseconds since 1970. */
  readonly now: () => number;
  /** Returns true if a round of the session is not finished. Then the session must not be deleted. */
  readonly hasOpenRounds?: (gsID: string) => boolean;
}

/** The game sessions by `gsID`. A session is deleted one day after it expired, unless one of its rounds is not finished. */
export class GameSessions {
  readonly #byId = new Map<string, GameSession>();
  readonly #table: RecordTable<GameSession>;
  readonly #now: () => number;
  readonly #hasOpenRounds: (gsID: string) => boolean;

  /**
   * Reads the sessions from the database.
   *
   * @throws DatabaseError when the database holds a session that can't be read
   */
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

  /** Returns all sessions, oldest first, including the expired sessions that are not deleted yet. */
  all(): readonly GameSession[] {
    return [...this.#byId.values()];
  }

  isExpired(session: GameSession): boolean {
    return this.#now() >= session.expiresAt;
  }

  #isObsolete(session: GameSession): boolean {
    return this.#now() >= session.expiresAt + KEPT_MS && !this.#hasOpenRounds(session.gsID);
  }

  /**
   * Deletes up to two old sessions that are no longer needed. Each launch opens only one session and calls this method, so the map
   * stays small.
   */
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

/**
 * Opens the table of game sessions.
 *
 * @throws DatabaseError when the database holds a session that can't be read
 */
export function sessionTable(database: Database): RecordTable<GameSession> {
  return new RecordTable(database, 'session', sessionSchema, ({ gsID }) => gsID);
}
