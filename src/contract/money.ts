const PLAIN_DECIMAL = /^(0|[1-9]\d*)(?:\.(\d+))?$/;

/**
 * An exact amount of one currency, in its main unit, of any size and with any number of decimals.
 *
 * Held as a whole number of 10^-scale, so that no binary fraction can creep in (contract, "What the service does" 5).
 * Immutable. Money of different currencies is never mixed: who reckons knows the currency.
 */
export class Money {
  static readonly zero = new Money(0n, 0);

  readonly #units: bigint;
  readonly #scale: number;

  private constructor(units: bigint, scale: number) {
    this.#units = units;
    this.#scale = scale;
  }

  /**
   * Reads a plain decimal as the contract writes it: digits, and a point with digits after it. No sign, no exponent, no
   * leading zeros, no white space.
   *
   * @returns the amount, or undefined when the text is anything else
   */
  static read(text: string): Money | undefined {
    const match = PLAIN_DECIMAL.exec(text);
    if (!match) return undefined;
    const fraction = match[2] ?? '';
    return new Money(BigInt(`${match[1]}${fraction}`), fraction.length);
  }

  /** As {@link Money.read}, but throws a RangeError that names the text. For constants and values known to be good. */
  static of(text: string): Money {
    const money = Money.read(text);
    if (!money) throw new RangeError(`not a plain decimal amount: ${JSON.stringify(text)}`);
    return money;
  }

  /** The smallest step of a currency with this many decimals: 2 gives 0.01, 0 gives 1. */
  static unit(decimals: number): Money {
    return new Money(1n, decimals);
  }

  plus(other: Money): Money {
    const scale = Math.max(this.#scale, other.#scale);
    return new Money(this.#at(scale) + other.#at(scale), scale);
  }

  minus(other: Money): Money {
    return this.plus(other.negated());
  }

  times(factor: Money): Money {
    return new Money(this.#units * factor.#units, this.#scale + factor.#scale);
  }

  negated(): Money {
    return new Money(-this.#units, this.#scale);
  }

  /** The amount without its sign. */
  absolute(): Money {
    return this.#units < 0n ? this.negated() : this;
  }

  /** Negative, zero or positive, as this is less than, equal to or more than the other. */
  compare(other: Money): -1 | 0 | 1 {
    const scale = Math.max(this.#scale, other.#scale);
    const a = this.#at(scale);
    const b = other.#at(scale);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  equals(other: Money): boolean {
    return this.compare(other) === 0;
  }

  isZero(): boolean {
    return this.#units === 0n;
  }

  isNegative(): boolean {
    return this.#units < 0n;
  }

  /** How many decimals the amount really needs: 1.50 needs 1, 2.00 needs none. */
  decimals(): number {
    let units = this.#units;
    let scale = this.#scale;
    while (scale > 0 && units % 10n === 0n) {
      units /= 10n;
      scale -= 1;
    }
    return scale;
  }

  /** The amount moved by so many decimal places: `shift(2)` is a hundred times as much. */
  shift(places: number): Money {
    return places >= 0
      ? new Money(this.#units * 10n ** BigInt(places), this.#scale)
      : new Money(this.#units, this.#scale - places);
  }

  /**
   * The amount as a plain decimal with at least so many decimals, more only where they are needed to stay exact.
   * A negative amount begins with `-`.
   */
  format(decimals = 0): string {
    const scale = Math.max(decimals, this.decimals());
    const units = scale >= this.#scale ? this.#at(scale) : this.#units / 10n ** BigInt(this.#scale - scale);
    const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
    const whole = digits.slice(0, digits.length - scale);
    const fraction = digits.slice(digits.length - scale);
    return `${units < 0n ? '-' : ''}${whole}${scale > 0 ? `.${fraction}` : ''}`;
  }

  /** Without trailing zeros: two equal amounts have the same text. */
  toString(): string {
    return this.format();
  }

  #at(scale: number): bigint {
    return this.#units * 10n ** BigInt(scale - this.#scale);
  }
}
