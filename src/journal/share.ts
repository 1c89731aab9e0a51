import { Money } from '../contract/money.ts';
import { absoluteMoney, highestSums, type MoneySums, type WrongSum } from './money-sums.ts';

/** The share of the amounts of some calls by which a balance was wrong: `wrong` divided by `moved`. `moved` is not zero. */
interface Share {
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
 * Returns the largest share of a stake that the entries of a baseline allow. A run without a usual share uses the lower one of
 * this share and `lowestVaryingShare`, because an entry may allow a multiple of the sum that its run has shown.
 * Undefined if no entry has a sum.
 *
 * @param allowed the sums of the entries for the rule
 */
export function allowedShare(
  allowed: readonly MoneySums[],
  stakes: Readonly<Record<string, string>>,
): Share | undefined {
  const shares = allowed.flatMap((sums) =>
    Object.entries(sums).flatMap(([code, sum]): Share[] => {
      const [wrong, moved] = [Money.read(sum), Money.read(stakes[code] ?? '')];
      return wrong && moved && !wrong.isZero() && !moved.isZero() ? [{ wrong, moved }] : [];
    }),
  );
  return shares.sort(inOrder).at(-1);
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
  const limit = { wrong: usual.wrong.times(MARGIN), moved: usual.moved };
  const outlying = sums.filter((sum) => {
    const share = sum.varies ? shareOf(sum) : undefined;
    return share !== undefined && inOrder(share, limit) > 0;
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
function sharesOf(sums: readonly WrongSum[], stakes: Readonly<Record<string, string>>): Share[] {
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
