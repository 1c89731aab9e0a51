/** Finds the end of a value in the bytes of a line. All values end before a byte that they can't contain, so each has one end. */
export interface BytePattern {
  /** Returns the end of a value that begins at a position. Returns -1 if there is no such value. */
  readonly end: (bytes: Uint8Array, from: number, to: number) => number;
}

/** Sets of characters, one bit for each set. */
const [WORD, TEXT, ASCII_TEXT, NUMERIC, DIGIT] = [1, 2, 4, 8, 16];
/** For each byte: the sets to which its character belongs. */
const SETS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  const isText = !/["\\{]/.test(character);
  return (
    (byte < 0x80 && /[\w:-]/.test(character) ? WORD : 0) |
    (isText ? TEXT : 0) |
    (isText && byte < 0x80 ? ASCII_TEXT : 0) |
    (/[-+.\d]/.test(character) ? NUMERIC : 0) |
    (/\d/.test(character) ? DIGIT : 0)
  );
});

/** Characters of one set, with the minimum and the maximum number of them. */
class Characters implements BytePattern {
  readonly #set: number;
  readonly #fewest: number;
  readonly #most: number;

  constructor(set: number, fewest: number, most: number) {
    this.#set = set;
    this.#fewest = fewest;
    this.#most = most;
  }

  end(bytes: Uint8Array, from: number, to: number): number {
    const at = endOf(this.#set, bytes, from, to);
    const length = at - from;
    return length < this.#fewest || length > this.#most ? -1 : at;
  }
}

/** A decimal without sign and exponent, with the maximum number of digits before and after the point. */
class Decimal implements BytePattern {
  readonly #whole: number;
  readonly #decimals: number;
  /** True if a zero may stand before other digits. */
  readonly #mayBePadded: boolean;

  constructor(whole: number, decimals: number, mayBePadded: boolean) {
    this.#whole = whole;
    this.#decimals = decimals;
    this.#mayBePadded = mayBePadded;
  }

  end(bytes: Uint8Array, from: number, to: number): number {
    const whole = endOf(DIGIT, bytes, from, to);
    if (whole === from || whole - from > this.#whole) return -1;
    if (!this.#mayBePadded && bytes[from] === ZERO && whole - from > 1) return -1;
    if (whole >= to || bytes[whole] !== POINT) return whole;
    const at = endOf(DIGIT, bytes, whole + 1, to);
    return at === whole + 1 || at - whole - 1 > this.#decimals ? -1 : at;
  }
}

/** Any number of JSON. */
class JsonNumber implements BytePattern {
  end(bytes: Uint8Array, from: number, to: number): number {
    const first = bytes[from] === MINUS ? from + 1 : from;
    let at = endOf(DIGIT, bytes, first, to);
    if (at === first) return -1;
    if (at < to && bytes[at] === POINT) {
      const decimals = endOf(DIGIT, bytes, at + 1, to);
      if (decimals === at + 1) return -1;
      at = decimals;
    }
    if (at >= to || (bytes[at] !== LOWER_E && bytes[at] !== UPPER_E)) return at;
    const exponent = bytes[at + 1] === MINUS || bytes[at + 1] === PLUS ? at + 2 : at + 1;
    const last = endOf(DIGIT, bytes, exponent, to);
    return last === exponent ? -1 : last;
  }
}

const [ZERO, POINT, MINUS, PLUS, LOWER_E, UPPER_E] = [0x30, 0x2e, 0x2d, 0x2b, 0x65, 0x45];

/** Returns the position of the first byte that is not in a set. */
function endOf(set: number, bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && ((SETS[bytes[at] ?? 0] ?? 0) & set) !== 0) at += 1;
  return at;
}

export const ID: BytePattern = new Characters(WORD, 1, 80);
/** The id that an operator gives a transaction. */
export const OPERATOR_ID: BytePattern = new Characters(ASCII_TEXT, 1, 200);
/** A text without JSON, and without escapes. */
export const ANY_TEXT: BytePattern = new Characters(TEXT, 0, Number.POSITIVE_INFINITY);
/** A text that is a time or a duration. */
export const SHORT_TEXT: BytePattern = new Characters(ASCII_TEXT, 1, 64);
/** A number that is a time or a duration. */
export const SHORT_NUMBER: BytePattern = new Characters(NUMERIC, 1, 64);
export const AMOUNT: BytePattern = new Decimal(18, 18, false);
export const DURATION: BytePattern = new Decimal(12, 12, true);
export const ANY_NUMBER: BytePattern = new JsonNumber();
