/** Number of places at first. It is a power of two. */
const FIRST_PLACES = 1024;

/**
 * A set of whole numbers from 0 to 2^48 that are spread evenly, such as parts of hashes. It needs half the memory of a `Set`, and all
 * of it is outside the heap of V8.
 */
export class NumberSet {
  /** Each number plus 1, at its own place or at the next free place after that. 0 marks a free place. */
  #places = new Float64Array(FIRST_PLACES);
  #size = 0;

  /** Adds a number. Other values, such as NaN, are not added. */
  add(number: number): void {
    if (!isElement(number) || this.has(number)) return;
    // At least half of the places stay free, so a search ends soon.
    if (2 * this.#size >= this.#places.length) this.#grow();
    this.#places[placeOf(number, this.#places)] = number + 1;
    this.#size += 1;
  }

  has(number: number): boolean {
    return isElement(number) && this.#places[placeOf(number, this.#places)] === number + 1;
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#places.length);
    for (const stored of this.#places) if (stored !== 0) larger[placeOf(stored - 1, larger)] = stored;
    this.#places = larger;
  }
}

function isElement(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Returns the place of a number, or the free place at which it must be added. */
function placeOf(number: number, places: Float64Array): number {
  let at = number % places.length;
  while (places[at] !== 0 && places[at] !== number + 1) at = (at + 1) % places.length;
  return at;
}
