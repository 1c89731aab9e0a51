/** A plain decimal: digits, and optionally a point and more digits. It has no sign, exponent, leading zero or white space. */
export const AMOUNT_PATTERN = /^(0|[1-9]\d*)(\.\d+)?$/;

/** Each whole number with this number of digits is exact as a JavaScript number. */
const SAFE_DIGITS = 15;
const ZERO = 0x30;
const POINT = 0x2e;
/** The powers of ten that are exact as a JavaScript number. */
const POWERS: readonly number[] = Array.from({ length: SAFE_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/** A whole number. It is a JavaScript number if it is a safe integer, because a BigInt takes several times as long. */
type Whole = number | bigint;

function wholeOf(units: bigint): Whole {
  const safe = Number(units);
  return Number.isSafeInteger(safe) ? safe : units;
}

/**
 * An exact amount in the main unit of its currency, of any size and with any number of decimals.
 *
 * The value is stored as a whole number of 10^-scale, without binary fractions (contract, "What the service does" 5).
 * It is immutable. It does not contain its currency, so the caller must not mix currencies.
 */
export class Money {
  static readonly zero = new Money(0, 0);

  readonly #units: Whole;
  readonly #scale: number;
  /** The plain decimal with all decimals, after it was first written. */
  #text: string | undefined;

  private constructor(units: Whole, scale: number) {
    this.#units = units;
    this.#scale = scale;
  }

  /**
   * Reads a plain decimal as the contract writes it: digits, then optionally a point and more digits. It has no sign, exponent,
   * leading zeros or white space.
   *
   * @returns undefined for any other text
   */
  static read(text: string): Money | undefined {
    if (text.length <= SAFE_DIGITS) return Money.#readShort(text);
    const match = AMOUNT_PATTERN.exec(text);
    if (!match) return undefined;
    const fraction = match[2]?.slice(1) ?? '';
    return new Money(wholeOf(BigInt(`${match[1]}${fraction}`)), fraction.length);
  }

  /**
   * Reads an amount whose digits fit into a JavaScript number. Accepts the same texts as AMOUNT_PATTERN, but needs much less time: a
   * load test reads thousands of amounts a second.
   */
  static #readShort(text: string): Money | undefined {
    let units = 0;
    let point = -1;
    for (let at = 0; at < text.length; at += 1) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit >= 0 && digit <= 9) units = units * 10 + digit;
      else if (digit === POINT - ZERO && point < 0 && at > 0) point = at;
      else return undefined;
    }
    const whole = point < 0 ? text.length : point;
    if (whole === 0 || point === text.length - 1 || (whole > 1 && text.charCodeAt(0) === ZERO)) return undefined;
    return new Money(units, text.length - whole - (point < 0 ? 0 : 1));
  }

  /**
   * Reads an amount that is known to be valid, for example a constant. Throws a RangeError that quotes the text if it is not a
   * plain decimal.
   */
  static of(text: string): Money {
    const money = Money.read(text);
    if (!money) throw new RangeError(`not a plain decimal amount: ${JSON.stringify(text)}`);
    return money;
  }

  /** Returns the smallest unit of a currency with this number of decimals: 0.01 for 2, 1 for 0. */
  static unit(decimals: number): Money {
    return new Money(1, decimals);
  }

  plus(other: Money): Money {
    // A load test adds zero several times for each call.
    if (other.#units === 0 && other.#scale <= this.#scale) return this;
    const scale = Math.max(this.#scale, other.#scale);
    const a = this.#at(scale);
    const b = other.#at(scale);
    if (typeof a === 'number' && typeof b === 'number') {
      const sum = a + b;
      // A sum that is not exact is never a safe integer.
      if (Number.isSafeInteger(sum)) return new Money(sum, scale);
    }
    return new Money(wholeOf(BigInt(a) + BigInt(b)), scale);
  }

  minus(other: Money): Money {
    if (other.#units === 0 && other.#scale <= this.#scale) return this;
    const scale = Math.max(this.#scale, other.#scale);
    const a = this.#at(scale);
    const b = other.#at(scale);
    if (typeof a === 'number' && typeof b === 'number') {
      const difference = a - b;
      if (Number.isSafeInteger(difference)) return new Money(difference, scale);
    }
    return new Money(wholeOf(BigInt(a) - BigInt(b)), scale);
  }

  times(factor: Money): Money {
    const scale = this.#scale + factor.#scale;
    if (typeof this.#units === 'number' && typeof factor.#units === 'number') {
      const product = this.#units * factor.#units;
      // If a product is not exact, it is not a safe integer. Adding 0 turns -0 into 0.
      if (Number.isSafeInteger(product)) return new Money(product + 0, scale);
    }
    return new Money(wholeOf(BigInt(this.#units) * BigInt(factor.#units)), scale);
  }

  negated(): Money {
    return this.isZero() ? this : new Money(-this.#units, this.#scale);
  }

  /** Returns the amount without its sign. */
  absolute(): Money {
    return this.isNegative() ? this.negated() : this;
  }

  /** Returns -1, 0 or 1 if this amount is less than, equal to or more than the other amount. */
  compare(other: Money): -1 | 0 | 1 {
    const scale = Math.max(this.#scale, other.#scale);
    const a = this.#at(scale);
    const b = other.#at(scale);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  equals(other: Money): boolean {
    return this.compare(other) === 0;
  }

  /** True if the amount is the other amount times a whole number. The other amount must not be zero. */
  isMultipleOf(other: Money): boolean {
    const scale = Math.max(this.#scale, other.#scale);
    return BigInt(this.#at(scale)) % BigInt(other.#at(scale)) === 0n;
  }

  isZero(): boolean {
    return this.#units === 0;
  }

  isNegative(): boolean {
    return this.#units < 0;
  }

  /** Returns the number of decimals that the amount needs: 1 for 1.50, 0 for 2.00. */
  decimals(): number {
    let scale = this.#scale;
    if (typeof this.#units === 'number') {
      let safe = this.#units;
      while (scale > 0 && safe % 10 === 0) {
        safe /= 10;
        scale -= 1;
      }
      return scale;
    }
    let units = this.#units;
    while (scale > 0 && units % 10n === 0n) {
      units /= 10n;
      scale -= 1;
    }
    return scale;
  }

  /** Returns the amount with its point moved to the right by a number of places. `shift(2)` is 100 times the amount. */
  shift(places: number): Money {
    return places >= 0
      ? new Money(wholeOf(BigInt(this.#units) * 10n ** BigInt(places)), this.#scale)
      : new Money(this.#units, this.#scale - places);
  }

  /** Cuts the amount to a number of decimals. With 2, 1.259 becomes 1.25 and -1.259 becomes -1.25. */
  truncated(decimals: number): Money {
    if (this.#scale <= decimals) return this;
    return new Money(wholeOf(BigInt(this.#units) / 10n ** BigInt(this.#scale - decimals)), decimals);
  }

  /**
   * Writes the amount as a plain decimal with at least this number of decimals. Writes more only if the amount needs them. A
   * negative amount begins with `-`.
   */
  format(decimals = 0): string {
    const scale = decimals >= this.#scale ? decimals : Math.max(decimals, this.decimals());
    if (scale !== this.#scale) return this.#written(scale);
    this.#text ??= this.#written(scale);
    return this.#text;
  }

  #written(scale: number): string {
    const units = scale >= this.#scale ? this.#at(scale) : BigInt(this.#units) / 10n ** BigInt(this.#scale - scale);
    const digits = (units < 0 ? -units : units).toString().padStart(scale + 1, '0');
    const whole = digits.slice(0, digits.length - scale);
    const fraction = digits.slice(digits.length - scale);
    return `${units < 0 ? '-' : ''}${whole}${scale > 0 ? `.${fraction}` : ''}`;
  }

  /**
   * Writes the plain decimal without its decimals if they are all 0, and with two decimals in place of one, as people write money:
   * `1033` and `1033.30`. Two equal amounts have the same text.
   */
  toString(): string {
    return this.format(this.decimals() === 1 ? 2 : 0);
  }

  /** Returns the value as a whole number of 10^-scale. `scale` must not be less than the scale of this amount. */
  #at(scale: number): Whole {
    if (scale === this.#scale) return this.#units;
    const power = POWERS[scale - this.#scale];
    if (typeof this.#units === 'number' && power !== undefined) {
      const units = this.#units * power;
      if (Number.isSafeInteger(units)) return units;
    }
    return BigInt(this.#units) * 10n ** BigInt(scale - this.#scale);
  }
}
