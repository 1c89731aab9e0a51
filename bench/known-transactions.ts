const EMPTY = 0;
const FIRST_SIZE = 1 << 20;

/**
 * The balance after each transaction, by its txID, which must be a random UUID. A load test may send any earlier transaction
 * again, so none can be forgotten. A `Map` would need ten times as much memory for ten million transactions.
 */
export class KnownTransactions {
  #keys = new Float64Array(FIRST_SIZE);
  #endings = new Uint32Array(FIRST_SIZE);
  #balances = new Int32Array(FIRST_SIZE);
  #count = 0;

  /** Returns undefined if the transaction is not known. */
  balanceAfter(txID: string): number | undefined {
    const place = this.#placeOf(keyOf(txID), endingOf(txID));
    return this.#keys[place] === EMPTY ? undefined : this.#balances[place];
  }

  set(txID: string, balance: number): void {
    const [key, ending] = [keyOf(txID), endingOf(txID)];
    const place = this.#placeOf(key, ending);
    if (this.#keys[place] === EMPTY) {
      this.#keys[place] = key;
      this.#endings[place] = ending;
      this.#count += 1;
    }
    this.#balances[place] = balance;
    if (this.#count * 2 > this.#keys.length) this.#grow();
  }

  /** Returns the place of the transaction, or the free place where it belongs. */
  #placeOf(key: number, ending: number): number {
    const last = this.#keys.length - 1;
    let place = key % this.#keys.length;
    while (this.#keys[place] !== EMPTY && (this.#keys[place] !== key || this.#endings[place] !== ending))
      place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const [keys, endings, balances] = [this.#keys, this.#endings, this.#balances];
    this.#keys = new Float64Array(keys.length * 2);
    this.#endings = new Uint32Array(keys.length * 2);
    this.#balances = new Int32Array(keys.length * 2);
    for (const [at, key] of keys.entries()) {
      if (key === EMPTY) continue;
      const ending = endings[at] as number;
      const place = this.#placeOf(key, ending);
      this.#keys[place] = key;
      this.#endings[place] = ending;
      this.#balances[place] = balances[at] as number;
    }
  }
}

/** The first 48 bits of a UUID, which are random in version 4 (RFC 9562). The key of an empty place is not used. */
function keyOf(txID: string): number {
  return Number.parseInt(txID.slice(0, 8) + txID.slice(9, 13), 16) || EMPTY + 1;
}

/**
 * The last 32 bits of a UUID. Among ten million transactions, two with the same first 48 bits are not rare: about one load in ten has
 * such a pair.
 */
function endingOf(txID: string): number {
  return Number.parseInt(txID.slice(-8), 16);
}
