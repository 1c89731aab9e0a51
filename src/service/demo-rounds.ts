import type { PlayedRound } from './adapter/play.ts';
import { Feed } from './feed.ts';
import type { GameSession } from './game-sessions.ts';

/** A round with a demo balance. It makes no reverse calls, so the adapter does not store it. */
export interface DemoRound {
  readonly session: GameSession;
  readonly played: PlayedRound;
  /** The time when the round was played, in milliseconds since 1970. */
  readonly at: number;
}

/** The number of demo rounds that are kept. */
const MAX_ROUNDS = 200;

/** The latest demo rounds, in memory. */
export class DemoRounds {
  readonly #feed = new Feed<void>();
  #rounds: readonly DemoRound[] = [];

  add(round: DemoRound): void {
    this.#rounds = [...this.#rounds, round].slice(-MAX_ROUNDS);
    this.#feed.publish();
  }

  /** Returns the rounds, the oldest first. */
  recent(): readonly DemoRound[] {
    return this.#rounds;
  }

  /**
   * Calls the listener after each round.
   *
   * @returns a function that removes the listener
   */
  subscribe(listener: () => void): () => void {
    return this.#feed.subscribe(listener);
  }
}
