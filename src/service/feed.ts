/** Passes values on to all who listen. */
export class Feed<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #enders = new Set<() => void>();

  publish(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  /** @returns removes the listener */
  subscribe(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Gives the earlier values, then what is published from the first step of the iteration on, until the feed is closed. */
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

  /** Ends every `follow` once it has given what was published before. */
  close(): void {
    for (const end of this.#enders) end();
  }
}
