/** Lets things with the same key happen one after the other; things with different keys don't wait for each other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does something once everything before it with the same key is done, whether it went well or not. */
  async take<T>(key: string, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = before === undefined ? act() : before.then(act, act);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
