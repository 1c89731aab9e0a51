import type { CallName } from '../../contract/call-name.ts';
import { Money } from '../../contract/money.ts';
import type { IdleRead } from '../idle-read.ts';

/** Cuts off every fraction of a sum that is smaller than the unit. */
export function cut(sum: Money, unit: Money): Money {
  return sum.truncated(unit.decimals());
}

/** Rounds a sum to the nearest multiple of the unit. */
export function rounded(sum: Money, unit: Money): Money {
  const half = unit.times(Money.of('0.5'));
  return cut(sum.isNegative() ? sum.minus(half) : sum.plus(half), unit);
}

/**
 * True if rounding may have added the sum to a balance, or taken it away: a fraction of the main unit, or one whole unit
 * if the balance is shown without decimals.
 *
 * @param unit the smallest unit of the currency
 */
export function mayBeRounded(sum: Money, balance: Money, unit: Money): boolean {
  const main = Money.of('1');
  if (unit.compare(main) >= 0) return false;
  const compared = sum.absolute().compare(main);
  return compared < 0 || (compared === 0 && balance.decimals() === 0);
}

/** The powers of ten by which amounts are wrong in a wallet that counts in another unit. */
export const SCALES = [1, 2, 3, 8, 18, -1, -2, -3, -8];

/** Cents are confused with the main unit most often. */
const CENTS = -2;

/** True if a wallet that reads amounts as cents would move nothing at all. */
export function isNothingInCents(sum: Money, unit: Money): boolean {
  return inUnit(sum, CENTS, unit).isZero();
}

/** Converts a sum to another unit. Fractions of the smallest unit of the currency are cut off. */
export function inUnit(sum: Money, scale: number, unit: Money): Money {
  return cut(sum.shift(scale), unit);
}

/**
 * The kinds of calls that moved exactly their amount in this run, by wallet. They are in the right unit, so another unit
 * does not explain a wrong balance after them.
 */
export class RightUnit {
  /** Kinds of calls by wallet id. */
  readonly #seen = new Map<string, Set<CallName>>();

  /**
   * Records a read that was right. It counts only if all calls since the last read were of one kind: the effects of a bet
   * and its refund cancel each other in every unit.
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
   * True if calls of the kind are in the right unit: shown in this wallet, or shown in another wallet while the other kind
   * is right in this one. A currency with a wrong unit has it for bets and wins, and a kind of call has it in every wallet.
   */
  has(kind: CallName, wallet: string): boolean {
    const known = this.#seen.get(wallet);
    if (known?.has(kind)) return true;
    const other = kind === 'bet' ? 'win' : 'bet';
    return known?.has(other) === true && [...this.#seen.values()].some((kinds) => kinds.has(kind));
  }
}

/** True for a value that a double can hold. Amounts in currencies without a limit of decimals may have more digits. */
export function isWrittenAsDouble(value: Money): boolean {
  return String(Number(value.format())) === value.format();
}
