const EMPTY = 0;
const FIRST_SIZE = 1 << 20;

/**
 * The balance after each transaction, by its txID, which must be a random UUID. A load test may send any earlier transaction
 * again, so none can be forgotten. A `Map` would need ten times as much memory for ten million transactions.
 */
export class KnownTransactions {
  #keys = new Float64Array(FIRST_SIZE);
  #balances = new Int32Array(FIRST_SIZE);
  #count = 0;

  /** Returns undefined if the transaction is not known. */
  balanceAfter(txID: string): number | undefined {
    const place = this.#placeOf(keyOf(txID));
    return this.#keys[place] === EMPTY ? undefined : this.#balances[place];
  }

  set(txID: string, balance: number): void {
    const key = keyOf(txID);
    const place = this.#placeOf(key);
    if (this.#keys[place] === EMPTY) {
      this.#keys[place] = key;
      this.#count += 1;
    }
    this.#balances[place] = balance;
    if (this.#count * 2 > this.#keys.length) this.#grow();
  }

  /** Returns the place of the key, or the free place where it belongs. */
  #placeOf(key: number): number {
    const last = this.#keys.length - 1;
    let place = key % this.#keys.length;
    while (this.#keys[place] !== EMPTY && this.#keys[place] !== key) place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const [keys, balances] = [this.#keys, this.#balances];
    this.#keys = new Float64Array(keys.length * 2);
    this.#balances = new Int32Array(keys.length * 2);
    for (const [at, key] of keys.entries()) {
      if (key === EMPTY) continue;
      const place = this.#placeOf(key);
      this.#keys[place] = key;
      this.#balances[place] = balances[at] as number;
    }
  }
}

/** The first 48 bits of a UUID, which are random in version 4 (RFC 9562). The key of an empty place is not used. */
function keyOf(txID: string): number {
  return Number.parseInt(txID.slice(0, 8) + txID.slice(9, 13), 16) || EMPTY + 1;
}
