import { Semaphore } from 'async-mutex';

/**
 * Decides when each client of a run may play. Clients that share a player play one after another, in the order in which they called
 * `play`.
 */
export class ClientTurns {
  readonly #places: Semaphore;
  readonly #turns = new Set<{ readonly names: ReadonlySet<string>; readonly over: Promise<void> }>();

  /** @param max maximum number of clients that play in parallel */
  constructor(max: number) {
    this.#places = new Semaphore(max);
  }

  /**
   * Waits until no client that asked earlier uses one of these names. Then does the work.
   *
   * @param names the players and sessions of the client, as `playedNames` returns them
   */
  async play<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = [...this.#turns].filter((turn) => names.some((name) => turn.names.has(name)));
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const turn = { names: new Set(names), over };
    this.#turns.add(turn);
    try {
      await Promise.all(before.map((one) => one.over));
      return await this.#places.runExclusive(work);
    } finally {
      this.#turns.delete(turn);
      end();
    }
  }
}
