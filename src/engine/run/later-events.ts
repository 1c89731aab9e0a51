import type { JournalEvent } from '../../journal/event.ts';

/**
 * Passes the events of a run on, in their order, but not at once. An event of a reply is passed on after the next call was sent, so
 * the work for it costs no time: meanwhile croupier waits for the operator anyway.
 */
export class LaterEvents {
  readonly #pass: (event: JournalEvent) => void;
  #waiting: JournalEvent[] = [];
  #isPlanned = false;
  #isEnded = false;
  #failure: { readonly error: unknown } | undefined;

  /** @param pass gets each event; its effects may be read only after {@link LaterEvents.flush} */
  constructor(pass: (event: JournalEvent) => void) {
    this.#pass = pass;
  }

  /** @throws the error of `pass` for this event or an earlier event */
  add(event: JournalEvent): void {
    this.#waiting.push(event);
    if (this.#isEnded || this.#failure) this.flush();
    else if (!this.#isPlanned) {
      this.#isPlanned = true;
      // The wire writes the next call only in the next turn of the event loop, after the callbacks that were planned before it. So the
      // work for the events waits for the turn after that.
      setImmediate(() => setImmediate(() => this.#passWaiting()));
    }
  }

  /** Passes on all events that were added. @throws the error of `pass` */
  flush(): void {
    this.#passWaiting();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
  }

  /** Passes on all events that were added, and from now on each event at once. @throws the error of `pass` */
  end(): void {
    this.#isEnded = true;
    this.flush();
  }

  #passWaiting(): void {
    this.#isPlanned = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      for (const event of waiting) this.#pass(event);
    } catch (error) {
      this.#failure ??= { error };
    }
  }
}
