/**
 * The calls that have no reply yet, usually by the ids of their exchanges.
 *
 * V8 replaces the table of a map when its last entry is deleted. If the map is old, the new table is created among the old objects,
 * where it soon becomes garbage that V8 rarely collects. In a run this would happen with each call. So instead of its last entry, the
 * whole map is replaced here, by a map among the new objects.
 */
export class CallsInFlight<Call, ID = string> {
  #calls = new Map<ID, Call>();

  set(id: ID, call: Call): void {
    this.#calls.set(id, call);
  }

  has(id: ID): boolean {
    return this.#calls.has(id);
  }

  /** Returns the calls, in the order in which they were sent. */
  values(): IterableIterator<Call> {
    return this.#calls.values();
  }

  /** Removes a call, and returns it. Returns undefined if there is no such call. */
  take(id: ID): Call | undefined {
    const call = this.#calls.get(id);
    if (call === undefined) return undefined;
    if (this.#calls.size === 1) this.#calls = new Map();
    else this.#calls.delete(id);
    return call;
  }
}
