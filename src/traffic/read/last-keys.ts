/**
 * The last keys of a map or a set, of which only the last ones are kept. A map or a set knows the order of its keys, too. But its
 * first key is found slowly if many keys before it were removed.
 */
export class LastKeys<K> {
  readonly #max: number;
  readonly #keys: K[] = [];
  /** The place of the next key. After the last place comes the first one again. */
  #next = 0;

  /** @param max the maximum number of keys that are kept */
  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a new key. Returns the oldest key if there is one too many, and forgets it. */
  add(key: K): K | undefined {
    const oldest = this.#keys[this.#next];
    this.#keys[this.#next] = key;
    this.#next = (this.#next + 1) % this.#max;
    return oldest;
  }
}
