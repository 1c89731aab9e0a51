import { Money } from '../contract/money.ts';

/** The amounts of one currency. */
export interface LoadDenomination {
  readonly stake: Money;
  /** The smallest amount that croupier uses. */
  readonly unit: Money;
  readonly decimals: number;
}

/**
 * The beginning of a Sidon sequence (Mian and Chowla, 1944): no two pairs of its numbers have the same sum or difference. The
 * amounts of transactions have such numbers of units. So if a balance is wrong, the difference shows which transaction went wrong,
 * even if two transactions went wrong at once.
 */
const CODES: readonly bigint[] = [
  1n,
  2n,
  4n,
  8n,
  13n,
  21n,
  31n,
  45n,
  66n,
  81n,
  97n,
  123n,
  148n,
  182n,
  204n,
  252n,
  290n,
  361n,
  401n,
  475n,
  565n,
  593n,
  662n,
  775n,
];

/**
 * The numbers of units that are added to all amounts of a window, in turn. The difference between the two numbers is not a
 * difference between two codes. So the amounts of a window also differ from the amounts of the window before.
 */
const SHIFTS: readonly bigint[] = [0n, 33n];

/** Chooses amounts so that no two transactions of a window, and of the window before, have the same amount. */
export class WindowAmounts {
  readonly #denomination: LoadDenomination;
  readonly #offset: bigint;
  /** The amounts of the window. There are only a few of them, so a search in this list takes less time than a set of texts. */
  readonly #used: Money[] = [];
  /** The amounts of the window that are not in `#usual`. */
  readonly #unusual: Money[] = [];
  /** For each number of `SHIFTS`, a list with one amount for each code: the units of the code plus the offset plus this number. */
  readonly #extras: readonly (readonly Money[])[];
  /** The amounts of `#extras`, each plus the stake. Most amounts are one of these, and within a window all of these are different. */
  readonly #usual: readonly (readonly Money[])[];
  #next = 0;
  /** The position in `SHIFTS` of the number of this window. */
  #shift = 0;

  /**
   * @param offset a number of units that is added to each amount. Players with different offsets rarely have the same amounts,
   * so that an amount also shows its player
   */
  constructor(denomination: LoadDenomination, offset: number) {
    this.#denomination = denomination;
    this.#offset = BigInt(offset);
    this.#extras = SHIFTS.map((shift) => CODES.map((code) => this.#extraOf(code + shift)));
    this.#usual = this.#extras.map((extras) => extras.map((extra) => denomination.stake.plus(extra)));
  }

  /** True if the next amounts would be unusually large, so that the window must end. */
  get isUsedUp(): boolean {
    return this.#next >= CODES.length - 4;
  }

  begin(): void {
    this.#used.length = 0;
    this.#unusual.length = 0;
    this.#next = 0;
    this.#shift = (this.#shift + 1) % SHIFTS.length;
  }

  /** Returns an amount that is a little higher than `least`. No other transaction of the window has this amount. */
  above(least: Money): Money {
    const { unit, stake } = this.#denomination;
    const next = this.#next;
    this.#next += 1;
    const usual = least === stake ? this.#usual[this.#shift]?.[next] : undefined;
    if (usual && !isIn(usual, this.#unusual)) {
      this.#used.push(usual);
      return usual;
    }
    const extra = this.#extras[this.#shift]?.[next] ?? this.#extraOf(BigInt(next) ** 2n);
    let amount = least.plus(extra);
    while (isIn(amount, this.#used)) amount = amount.plus(unit);
    this.use(amount);
    return amount;
  }

  /** Notes an amount that was chosen for another reason. */
  use(amount: Money): void {
    this.#used.push(amount);
    this.#unusual.push(amount);
  }

  #extraOf(code: bigint): Money {
    return this.#denomination.unit.times(Money.of((this.#offset + code).toString()));
  }
}

function isIn(amount: Money, amounts: readonly Money[]): boolean {
  for (const one of amounts) if (one.equals(amount)) return true;
  return false;
}
