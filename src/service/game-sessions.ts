import { z } from 'zod';
import type { GameSession } from './game-session.ts';
import { openRecords, type RecordFile } from './record-file.ts';

const sessionSchema: z.ZodType<GameSession> = z.object({
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
  platform: z.enum(['desktop', 'mobile']).exactOptional(),
  openedAt: z.number(),
  expiresAt: z.number(),
});

/** A game lasts this long from its launch on (position). */
export const SESSION_LIFE_MS = 4 * 60 * 60 * 1000;
/** For so long an expired session is still known: its player is told that it expired, and not that there is no such game. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

export interface GameSessionsOptions {
  /** Of the file that keeps them; left out: in memory. */
  readonly path?: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether a round of the session still owes something, so that it must not be forgotten. */
  readonly owes?: (gsID: string) => boolean;
}

/** The game sessions by `gsID`. What expired long ago and owes nothing is forgotten. */
export class GameSessions {
  readonly #byId = new Map<string, GameSession>();
  readonly #file: RecordFile<GameSession>;
  readonly #now: () => number;
  readonly #owes: (gsID: string) => boolean;

  /** @throws what `openRecords` throws */
  constructor({ path, now, owes = () => false }: GameSessionsOptions) {
    this.#now = now;
    this.#owes = owes;
    const { records, file } = openRecords(path, sessionSchema, (all) => all.filter((one) => !this.#isForgotten(one)));
    this.#file = file;
    for (const session of records) this.#byId.set(session.gsID, session);
  }

  open(session: GameSession): void {
    this.#forgetOldest();
    this.#file.append(session);
    this.#byId.set(session.gsID, session);
  }

  byId(gsID: string): GameSession | undefined {
    return this.#byId.get(gsID);
  }

  /** Oldest first, the expired ones that are remembered included. */
  all(): readonly GameSession[] {
    return [...this.#byId.values()];
  }

  isExpired(session: GameSession): boolean {
    return this.#now() >= session.expiresAt;
  }

  close(): void {
    this.#file.close();
  }

  #isForgotten(session: GameSession): boolean {
    return this.#now() >= session.expiresAt + REMEMBERED_MS && !this.#owes(session.gsID);
  }

  /** The map is in the order of opening, so that a few looks at each launch keep it small. */
  #forgetOldest(): void {
    let looks = 2;
    for (const session of this.#byId.values()) {
      if (looks === 0) return;
      looks -= 1;
      if (this.#isForgotten(session)) this.#byId.delete(session.gsID);
    }
  }
}
