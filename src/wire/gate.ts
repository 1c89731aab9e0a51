/** Opens once. Whoever waits makes the promise: most calls have nobody waiting. */
export class Gate {
  #opened: Promise<void> | null = null;
  #isOpen = false;
  #tell: (() => void) | null = null;

  get opened(): Promise<void> {
    this.#opened ??= new Promise((resolve) => {
      if (this.#isOpen) resolve();
      else this.#tell = resolve;
    });
    return this.#opened;
  }

  /** A second time does nothing. */
  open(): void {
    this.#isOpen = true;
    this.#tell?.();
  }
}
