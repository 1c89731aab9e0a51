/** A map that forgets what was put in first once it holds too much. */
export class BoundedMap<Value> {
  readonly #map = new Map<string, Value>();
  readonly #most: number;
  readonly #onForgotten: (value: Value) => void;
  forgotten = 0;

  constructor(most: number, onForgotten: (value: Value) => void = () => {}) {
    this.#most = most;
    this.#onForgotten = onForgotten;
  }

  get(key: string): Value | undefined {
    return this.#map.get(key);
  }

  has(key: string): boolean {
    return this.#map.has(key);
  }

  entries(): Iterable<readonly [string, Value]> {
    return this.#map.entries();
  }

  values(): Iterable<Value> {
    return this.#map.values();
  }

  /** Puts it in as the newest, also when it is there already. */
  set(key: string, value: Value): void {
    this.#map.delete(key);
    this.#map.set(key, value);
    if (this.#map.size <= this.#most) return;
    const [oldest] = this.#map;
    if (!oldest) return;
    this.#map.delete(oldest[0]);
    this.forgotten += 1;
    this.#onForgotten(oldest[1]);
  }
}
