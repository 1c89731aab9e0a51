import { Money } from '../contract/money.ts';
import type { KnownFailure } from './event.ts';
import { absoluteMoney, highestSums, type MoneySums, type WrongSum } from './money-sums.ts';

/** The share of the amounts of some calls by which a balance was wrong: `wrong` divided by `moved`. `moved` is not zero. */
export interface Share {
  readonly wrong: Money;
  readonly moved: Money;
}

/**
 * Returns the usual share of the wrong sums that do not depend on the balance: nine tenths of them have this share, or a lower one.
 * Single sums may have another cause than the others. Undefined if there is no such sum. Sums of calls for less than a stake are left
 * out, because a wrong sum of one smallest unit can be a large share of them.
 *
 * @param stakes the stake in each currency of the sessions
 */
export function usualShare(sums: readonly WrongSum[], stakes: Readonly<Record<string, string>>): Share | undefined {
  const shares = sharesOf(
    sums.filter(({ varies }) => !varies),
    stakes,
  );
  return shares.sort(inOrder)[Math.ceil(shares.length * USUAL) - 1];
}

const USUAL = 0.9;

/**
 * Returns the largest share that the entries of a baseline allow: the share that an entry notes, or the share of a stake that its
 * sums are. A run without a usual share uses the lower one of this share and `lowestVaryingShare`, because an entry may allow a
 * multiple of the sum that its run has shown. The share of an entry for failures that occur only now and then does not count, because a
 * single larger share may come from a call that croupier has blamed wrongly. Undefined if no entry has a share or a sum.
 *
 * @param entries the limits of the entries for the rule
 */
export function allowedShare(
  entries: readonly Pick<KnownFailure, 'maxShare' | 'maxSums' | 'intermittent'>[],
  stakes: Readonly<Record<string, string>>,
): Share | undefined {
  const shares = entries.flatMap(({ maxShare, maxSums = {}, intermittent }): readonly Share[] => {
    const noted = maxShare === undefined || intermittent ? undefined : readShare(maxShare);
    if (noted) return [noted];
    return Object.entries(maxSums).flatMap(([code, sum]): Share[] => {
      const [wrong, moved] = [Money.read(sum), Money.read(stakes[code] ?? '')];
      return wrong && moved && !wrong.isZero() && !moved.isZero() ? [{ wrong, moved }] : [];
    });
  });
  return largestOf(shares);
}

/**
 * Returns twice the lowest share of the sums that depend on the balance. A player may have made other calls before the balance was read,
 * and if they were right, the share is about half as large as the share of the wrong calls. Undefined if there is no such sum. Sums of
 * calls for less than a stake are left out, as in `usualShare`.
 */
export function lowestVaryingShare(
  sums: readonly WrongSum[],
  stakes: Readonly<Record<string, string>>,
): Share | undefined {
  const lowest = sharesOf(
    sums.filter(({ varies }) => varies),
    stakes,
  ).sort(inOrder)[0];
  return lowest && { wrong: lowest.wrong.times(AMONG_RIGHT_CALLS), moved: lowest.moved };
}

const AMONG_RIGHT_CALLS = Money.of('2');

/**
 * Returns the largest share of the sums. Sums of calls for less than a stake are left out, as in `usualShare`. Undefined if there
 * is none.
 */
export function largestShare(sums: readonly WrongSum[], stakes: Readonly<Record<string, string>>): Share | undefined {
  return largestOf(sharesOf(sums, stakes));
}

/** Returns the sums that have a share: the amount of their calls is known, and it is at least a stake. */
export function withShare(sums: readonly WrongSum[], stakes: Readonly<Record<string, string>>): readonly WrongSum[] {
  return sums.filter((sum) => sharesOf([sum], stakes).length > 0);
}

/** The largest shares of a scenario. */
interface SharesFound {
  /** The largest share of the sums that do not depend on the balance. */
  readonly share?: Share | undefined;
  /** The largest share of the sums that depend on the balance. */
  readonly varyingShare?: Share | undefined;
}

/**
 * Returns the share that a baseline notes for failures of some scenarios: the largest one. Undefined if the scenarios do not show a
 * share.
 */
export function notedShare(scenarios: readonly SharesFound[]): Share | undefined {
  const shares = scenarios.flatMap(({ share, varyingShare }) => [share, varyingShare]);
  return largestOf(shares.filter((share) => share !== undefined));
}

/** Returns the largest one of some shares. Undefined if there is none. */
export function largestOf(shares: readonly Share[]): Share | undefined {
  return [...shares].sort(inOrder).at(-1);
}

/** Compares two shares by their size, so that sorting puts the smallest one first. A share that is not known counts as equal. */
export function bySize(one: Share | undefined, other: Share | undefined): number {
  return one && other ? inOrder(one, other) : 0;
}

const WHOLE: Share = { wrong: Money.of('1'), moved: Money.of('1') };

/** True if a share is much larger than another one, so that it comes from another failure. */
export function isMuchLarger(share: Share, other: Share): boolean {
  return inOrder(share, { wrong: other.wrong.times(MARGIN), moved: other.moved }) > 0;
}

/** Reads a share that is written as a plain decimal, such as `0.5`. Undefined if the text is not a plain decimal. */
export function readShare(text: string): Share | undefined {
  const wrong = Money.read(text);
  return wrong && { wrong, moved: WHOLE.moved };
}

/**
 * Writes a share as a plain decimal, rounded up to a hundredth of a percent. Undefined if it is more than ten times the amount of the
 * calls.
 */
export function shareDecimal({ wrong, moved }: Share): string | undefined {
  if (inOrder({ wrong, moved }, { wrong: Money.of('10'), moved: WHOLE.moved }) > 0) return undefined;
  let decimal = Money.zero;
  for (const unit of ['1', '0.1', '0.01', '0.001', '0.0001'].map((text) => Money.of(text))) {
    while (moved.times(decimal.plus(unit)).compare(wrong) <= 0) decimal = decimal.plus(unit);
  }
  const isExact = moved.times(decimal).equals(wrong);
  return (isExact ? decimal : decimal.plus(Money.of('0.0001'))).toString();
}

/**
 * Writes the share that a baseline notes as a plain decimal with two significant digits. A wallet that keeps half of each refund rounds
 * the sum to the smallest unit of the currency, so that a run shows 50.44 % or 49.79 %.
 *
 * @returns undefined in the cases of `shareDecimal`
 */
export function notedDecimal(share: Share): string | undefined {
  const exact = Money.read(shareDecimal(share) ?? '');
  if (!exact) return undefined;
  const decimals = [1, 2, 3].find((one) => exact.compare(Money.unit(one - 1)) >= 0) ?? MAX_DECIMALS;
  return exact.plus(Money.unit(decimals).times(HALF)).truncated(decimals).toString();
}

const HALF = Money.of('0.5');
/** `shareDecimal` writes at most this number of decimals. */
const MAX_DECIMALS = 4;

/** Writes a share in percent: `50%` for `0.5`. @param decimal the share as `shareDecimal` returns it */
export function percentText(decimal: string | undefined): string {
  const share = Money.read(decimal ?? '');
  return share ? `${share.shift(2).format()}%` : 'more than 1000%';
}

/** Returns the lower one of two shares. */
export function lowerShare(one: Share | undefined, other: Share | undefined): Share | undefined {
  return one && other ? [one, other].sort(inOrder)[0] : (one ?? other);
}

/**
 * Returns the highest sum of each currency that depends on the balance and that is a much larger share of its calls than usual. For
 * example, a wallet that takes a tenth of each win as a fee has not paid a win of the whole balance at all.
 *
 * @param usual the usual share of the other sums of the same rule. Without it, no sum can be compared
 */
export function outlyingSums(sums: readonly WrongSum[], usual: Share | undefined): MoneySums {
  if (!usual) return {};
  const outlying = sums.filter((sum) => {
    const share = sum.varies ? shareOf(sum) : undefined;
    return share !== undefined && isMuchLarger(share, usual);
  });
  return highestSums(outlying.map(({ amount, currency }) => ({ [currency ?? '']: amount.replace(/^-/, '') })));
}

/**
 * Returns what the sums that depend on the balance would be if their calls had moved one stake: a tenth of a stake if a tenth of each
 * call was wrong. Each sum is rounded up to a hundredth of the stake.
 */
export function sumsOfStake(sums: readonly WrongSum[], stakes: Readonly<Record<string, string>>): MoneySums {
  return highestSums(
    sums.flatMap((sum) => {
      const code = sum.currency ?? '';
      const stake = Money.read(stakes[code] ?? '');
      const share = sum.varies ? shareOf(sum) : undefined;
      const hundredths = share && HUNDREDTHS.find((one) => inOrder({ wrong: one, moved: HUNDRED }, share) >= 0);
      return stake && hundredths ? [{ [code]: stake.times(hundredths).shift(-2).toString() }] : [];
    }),
  );
}

const HUNDRED = Money.of('100');
/** The shares of a stake that are tried, up to ten times the stake. */
const HUNDREDTHS = Array.from({ length: 1000 }, (_, index) => Money.of(String(index + 1)));

/** A rounded amount or a fee that is not the same for each call may change a share, but by less than this factor. */
const MARGIN = Money.of('1.5');

/** Returns the shares of the sums whose calls moved at least one stake. */
export function sharesOf(sums: readonly WrongSum[], stakes: Readonly<Record<string, string>>): Share[] {
  return sums.flatMap((sum) => {
    const stake = Money.read(stakes[sum.currency ?? ''] ?? '');
    const share = shareOf(sum);
    return share && stake && share.moved.compare(stake) >= 0 ? [share] : [];
  });
}

function shareOf({ amount, moved, movedOneWay }: WrongSum): Share | undefined {
  const [wrong, all] = [absoluteMoney(amount), Money.read(movedOneWay ?? moved ?? '')];
  return wrong && all && !all.isZero() ? { wrong, moved: all } : undefined;
}

function inOrder(one: Share, other: Share): number {
  return one.wrong.times(other.moved).compare(other.wrong.times(one.moved));
}
