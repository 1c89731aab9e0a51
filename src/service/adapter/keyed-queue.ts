import { Mutex } from 'async-mutex';

/** Runs actions with the same key one after the other. Actions with different keys don't wait for each other. */
export class KeyedQueue {
  readonly #locks = new Map<string, Mutex>();

  /** Runs an action once every earlier one with the same key has ended, also when that failed. */
  async run<T>(key: string, action: () => Promise<T>): Promise<T> {
    const lock = this.#locks.get(key) ?? new Mutex();
    this.#locks.set(key, lock);
    try {
      return await lock.runExclusive(action);
    } finally {
      if (!lock.isLocked()) this.#locks.delete(key);
    }
  }
}
