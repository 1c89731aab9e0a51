import type { CallName } from '../../contract/call-name.ts';
import { Money } from '../../contract/money.ts';
import type { IdleRead } from '../idle-read.ts';

/** Cuts off the part of a sum that is smaller than the unit. */
export function cut(sum: Money, unit: Money): Money {
  return sum.truncated(unit.decimals());
}

/** Rounds a sum to the nearest multiple of the unit. */
export function rounded(sum: Money, unit: Money): Money {
  const half = unit.times(Money.of('0.5'));
  return cut(sum.isNegative() ? sum.minus(half) : sum.plus(half), unit);
}

/**
 * True if the difference between two balances is so small that it may be a rounding error: less than 1, or exactly 1 if the balance
 * is written without decimals. Always false for a currency without decimals.
 *
 * @param sum the difference
 * @param unit the smallest unit of the currency
 */
export function mayBeRounded(sum: Money, balance: Money, unit: Money): boolean {
  const main = Money.of('1');
  if (unit.compare(main) >= 0) return false;
  const compared = sum.absolute().compare(main);
  return compared < 0 || (compared === 0 && balance.decimals() === 0);
}

/** The exponents of ten by which a wallet may read amounts wrongly: -2 means that it reads 100 as 1. */
export const SCALES = [1, 2, 3, 8, 18, -1, -2, -3, -8];

/** The exponent for a wallet that reads amounts as cents, which is the most common mistake. */
const CENTS = -2;

/** True if a wallet that reads amounts as cents would move nothing for this sum, because the sum is too small. */
export function isNothingInCents(sum: Money, unit: Money): boolean {
  return inUnit(sum, CENTS, unit).isZero();
}

/** Shifts a sum by `scale` powers of ten. Cuts off fractions of the smallest unit of the currency. */
function inUnit(sum: Money, scale: number, unit: Money): Money {
  return cut(sum.shift(scale), unit);
}

/** True if a balance is one of the possible balances, but written in another unit, such as cents. */
export function isSameInOtherUnit(balance: Money, possible: readonly Money[]): boolean {
  return !balance.isZero() && possible.some((one) => SCALES.some((scale) => one.shift(scale).equals(balance)));
}

/** True if a balance is one of the possible balances, but rounded to a whole number, or without its decimals. */
export function isWithoutDecimals(balance: Money, possible: readonly Money[]): boolean {
  const main = Money.of('1');
  return possible.some(
    (one) => !one.equals(balance) && (cut(one, main).equals(balance) || rounded(one, main).equals(balance)),
  );
}

/**
 * Returns the sums other than 0 that a wallet may move if it reads a sum in a unit that is `scale` powers of ten away. A wallet may
 * cut off or round fractions of the smallest unit of the currency.
 */
export function sumsInUnit(sum: Money, scale: number, unit: Money): Money[] {
  const cutOff = inUnit(sum, scale, unit);
  const nearest = rounded(sum.shift(scale), unit);
  return (cutOff.equals(nearest) ? [cutOff] : [cutOff, nearest]).filter((moved) => !moved.isZero());
}

/**
 * Records for each wallet the kinds of calls that have moved exactly their amount. The operator reads the amounts of these kinds in
 * the right unit, so a wrong unit cannot explain a later wrong balance.
 */
export class RightUnit {
  /** Kinds of calls by wallet id. */
  readonly #seen = new Map<string, Set<CallName>>();

  /**
   * Records a read that returned the right balance. The read counts only if all calls since the last read were of one kind. Calls
   * of several kinds may cancel each other in every unit, for example a bet and its refund.
   */
  record({ wallet }: IdleRead, callOf: (step: string) => CallName | undefined): void {
    if (wallet.branches.length > 0 || wallet.openSince !== null) return;
    const kinds = new Set(wallet.moves.map(({ step }) => callOf(step)));
    const [kind] = kinds;
    if (kinds.size !== 1 || kind === undefined) return;
    const known = this.#seen.get(wallet.id);
    if (known) known.add(kind);
    else this.#seen.set(wallet.id, new Set([kind]));
  }

  /**
   * True if earlier calls have shown that the operator reads the amounts of this kind of call in the right unit. One of two facts
   * is enough:
   *
   * - In this wallet, a call of this kind had the right effect.
   * - In this wallet, a call of the other kind (bet or win) had the right effect, and in another wallet a call of this kind had the
   *   right effect.
   *
   * The second fact is enough too, because a wrong unit affects either a whole currency, or one kind of call in all wallets. The
   * two calls exclude both cases.
   */
  has(kind: CallName, wallet: string): boolean {
    const known = this.#seen.get(wallet);
    if (known?.has(kind)) return true;
    const other = kind === 'bet' ? 'win' : 'bet';
    return known?.has(other) === true && [...this.#seen.values()].some((kinds) => kinds.has(kind));
  }
}

/** A balance that was written without some of its zeros. */
export interface LackedZeros {
  /** The whole balance. */
  readonly whole: Money;
  /** The zeros that are missing: those at the end of a whole number, or those between the point and the first other digit. */
  readonly where: 'end' | 'after-point';
}

/**
 * Finds out whether the operator has written a balance without some of its zeros: 290 as 29, or 5.05 as 5.5. Returns undefined if this
 * does not explain the balance of a read.
 */
export function withZeros({ wallet, value }: Pick<IdleRead, 'wallet' | 'value'>): LackedZeros | undefined {
  const moved = wallet.moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero);
  for (const expected of wallet.possible()) {
    for (const where of ['end', 'after-point'] as const) {
      const isCut = where === 'end' ? isCutForm : (a: Money, b: Money) => isUnpadded(a, b, wallet.unit.decimals());
      if (isCut(value, expected)) return { whole: expected, where };
      // The zeros were cut off from the balance before the calls. So the expected balance was computed from a wrong balance.
      if (isCut(expected.minus(moved), value.minus(moved))) return { whole: value, where };
    }
  }
  return undefined;
}

/** True if a whole balance without its final zeros gives the written balance, and the two differ. */
function isCutForm(written: Money, balance: Money): boolean {
  return balance.format() !== written.format() && balance.format().replace(/(?<=[1-9])0+$/, '') === written.format();
}

/**
 * True if a balance gives the written balance if the zeros after its point are left out, and the two differ. A program does this if it
 * writes the number of cents without filling it up to two digits.
 */
function isUnpadded(written: Money, balance: Money, decimals: number): boolean {
  const [whole = '', fraction = ''] = balance.format(decimals).split('.');
  const digits = fraction.replace(/^0+/, '');
  return digits !== '' && digits !== fraction && Money.read(`${whole}.${digits}`)?.equals(written) === true;
}

/**
 * True if a double represents the value exactly. If the currency has no limit of decimals, an amount may have too many digits for a
 * double.
 */
export function isWrittenAsDouble(value: Money): boolean {
  return String(Number(value.format())) === value.format();
}
