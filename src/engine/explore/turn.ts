/** Lets one after another do what must not be done at the same time, in the order in which they asked. */
export class Turn {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, to what ends it. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => {};
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  }
}
