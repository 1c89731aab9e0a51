/** Passes each published value to all listeners. */
export class Feed<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #enders = new Set<() => void>();

  publish(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  /**
   * Calls the listener with every later value.
   *
   * @returns a function that removes the listener
   */
  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Yields the earlier values first. Then yields each value that is published while the iteration runs, until the feed is closed.
   */
  async *follow(earlier: Iterable<T> = []): AsyncGenerator<T, void, undefined> {
    const waiting = [...earlier];
    let isOver = false;
    let wake = (): void => {};
    const end = (): void => {
      isOver = true;
      wake();
    };
    const unsubscribe = this.subscribe((value) => {
      waiting.push(value);
      wake();
    });
    this.#enders.add(end);
    try {
      for (;;) {
        for (let value = waiting.shift(); value !== undefined; value = waiting.shift()) yield value;
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      unsubscribe();
      this.#enders.delete(end);
    }
  }

  /** Ends all iterations of `follow`, after they have yielded the values that were published before. */
  close(): void {
    for (const end of this.#enders) end();
  }
}
