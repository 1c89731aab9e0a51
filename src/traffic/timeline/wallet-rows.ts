import type { ByteText } from '../read/templates/byte-text.ts';

/** The numbers of a wallet. Each is the index of a column of {@link WalletRows}. */
export const COLUMN = {
  /** The balance after the last call, in units of 0.0001. NaN if it can't be written so. */
  units: 0,
  /** The number of decimals of this balance, as the reply has it. */
  decimals: 1,
  /** The logged time of the last call. */
  atMs: 2,
  /** The beginning of the last call, if its logged time is its end. */
  beginMs: 3,
  /** The end of the last call, if its logged time is its beginning. */
  endMs: 4,
  /** The time and the line of the last call that has a balance. */
  saidMs: 5,
  line: 6,
  calls: 7,
} as const;

const COLUMNS = 8;
/** The bytes of a row for its round: the length of the id, and then the id. */
const ROUND_BYTES = 88;
const MAX_ROUND = ROUND_BYTES - 1;
const FEWEST_ROWS = 64;

/**
 * One row for each wallet, with the values that change with each of its calls. The rows are side by side in memory. A log has the
 * calls of many wallets in turn, so the processor would otherwise wait for many small objects.
 */
export class WalletRows {
  numbers = new Float64Array(FEWEST_ROWS * COLUMNS);
  #rounds = new Uint8Array(FEWEST_ROWS * ROUND_BYTES);
  #count = 0;

  /** Adds a row. Returns its number. */
  add(): number {
    const row = this.#count;
    this.#count += 1;
    if (this.#count * COLUMNS > this.numbers.length) {
      const { numbers } = this;
      this.numbers = new Float64Array(2 * numbers.length);
      this.numbers.set(numbers);
      const rounds = this.#rounds;
      this.#rounds = new Uint8Array(2 * rounds.length);
      this.#rounds.set(rounds);
    }
    const from = row * COLUMNS;
    this.numbers[from + COLUMN.units] = Number.NaN;
    this.numbers[from + COLUMN.atMs] = Number.NEGATIVE_INFINITY;
    this.numbers[from + COLUMN.beginMs] = Number.NEGATIVE_INFINITY;
    this.numbers[from + COLUMN.endMs] = Number.NEGATIVE_INFINITY;
    return row;
  }

  get(row: number, column: number): number {
    return this.numbers[row * COLUMNS + column] ?? Number.NaN;
  }

  set(row: number, column: number, value: number): void {
    this.numbers[row * COLUMNS + column] = value;
  }

  /** Keeps the id of a round. Returns false if it is too long or empty. */
  openRound(row: number, id: ByteText): boolean {
    const { bytes, from, length } = id;
    if (length === 0 || length > MAX_ROUND) return false;
    const at = row * ROUND_BYTES;
    this.#rounds[at] = length;
    for (let index = 0; index < length; index += 1) this.#rounds[at + 1 + index] = bytes[from + index] ?? 0;
    return true;
  }

  hasRound(row: number): boolean {
    return this.#rounds[row * ROUND_BYTES] !== 0;
  }

  isRound(row: number, id: ByteText): boolean {
    const { bytes, from, length } = id;
    const at = row * ROUND_BYTES;
    if (length === 0 || this.#rounds[at] !== length) return false;
    for (let index = 0; index < length; index += 1)
      if (this.#rounds[at + 1 + index] !== bytes[from + index]) return false;
    return true;
  }

  endRound(row: number): void {
    this.#rounds[row * ROUND_BYTES] = 0;
  }

  /** Returns the id of the round. Null if there is none. */
  round(row: number): string | null {
    const at = row * ROUND_BYTES;
    const length = this.#rounds[at] ?? 0;
    return length === 0 ? null : Buffer.from(this.#rounds.subarray(at + 1, at + 1 + length)).toString();
  }
}
