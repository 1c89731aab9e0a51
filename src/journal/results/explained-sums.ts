import type { CallName } from '../../contract/call-name.ts';
import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { Finding } from '../finding.ts';
import { absoluteMoney, decimalsOf, directionOf, type WrongSum } from '../money-sums.ts';
import { isMuchLarger, type Share, sharesOf } from '../share.ts';

/** The rules about the amounts of ordinary calls. */
export const OF_CALLS: readonly (readonly [CallName, RuleId])[] = [
  ['bet', 'bet.debit'],
  ['win', 'win.credit'],
  ['refund', 'refund.restore'],
];

/**
 * False if the errors of one kind of call cannot make balances wrong by these sums: none of them made a balance wrong, or only in the other
 * direction, or by another share of the amounts. True for every rule that is not about the amount of one kind of call.
 *
 * @param rule the broken rule that may be the cause
 * @param errors the sums by which this rule made balances wrong
 * @param stakes the stake in each currency of the sessions
 */
export function mayExplainSums(
  sums: readonly WrongSum[],
  rule: RuleId,
  errors: readonly WrongSum[],
  stakes: Readonly<Record<string, string>>,
): boolean {
  const call = OF_CALLS.find(([, id]) => id === rule)?.[0];
  return call === undefined || sums.every((sum) => mayBeOf(sum, call, errors, stakes));
}

/** Returns the sums by which the failures among some findings made balances wrong. */
export function failedSums(findings: readonly Pick<Finding, 'verdict' | 'wrongSum'>[]): readonly WrongSum[] {
  return findings.flatMap(({ verdict, wrongSum }) => (verdict === 'fail' && wrongSum ? [wrongSum] : []));
}

function mayBeOf(
  sum: WrongSum,
  kind: CallName,
  errors: readonly WrongSum[],
  stakes: Readonly<Record<string, string>>,
): boolean {
  const sameWay = errors.filter((error) => directionOf(error) === directionOf(sum));
  if (sameWay.length === 0) return false;
  const shares = sharesOf(sameWay, stakes);
  // An error without a share, or errors with different shares, may give any sum.
  if (shares.length < sameWay.length || shares.some((one) => shares.some((other) => isMuchLarger(one, other))))
    return true;
  if (sum.calls !== undefined) return sameWay.some((error) => isOfSeveral(sum, kind, error));
  return !isTooSmall(sum, shares, stakes);
}

/** True if a sum is much smaller than the same share of one stake, although its calls moved a stake or more. */
function isTooSmall(sum: WrongSum, shares: readonly Share[], stakes: Readonly<Record<string, string>>): boolean {
  const stake = Money.read(stakes[sum.currency ?? ''] ?? '');
  const wrong = absoluteMoney(sum.amount);
  if (!stake || !wrong || sharesOf([sum], stakes).length === 0) return false;
  return shares.every((share) => isMuchLarger(share, { wrong, moved: stake }));
}

/**
 * True if one or several calls of a kind give the sum together, each with the same error: the same share of its amount, or the
 * same sum.
 */
export function isOfSeveral(sum: WrongSum, kind: CallName, error: WrongSum): boolean {
  const [wrong, usual] = [absoluteMoney(sum.amount), absoluteMoney(error.amount)];
  const of = Money.read(error.movedOneWay ?? error.moved ?? '');
  if (!wrong || !usual || sum.amount.startsWith('-') !== error.amount.startsWith('-')) return false;
  const amounts = amountsOf(sum, kind);
  if (sum.currency === error.currency && amounts.some((_, at) => usual.times(Money.of(`${at + 1}`)).equals(wrong)))
    return true;
  if (of === undefined || of.isZero()) return false;
  const tolerance = Money.unit(decimalsOf(sum.currency ?? '')).times(of);
  let totals: readonly Money[] = [Money.zero];
  for (const amount of amounts) totals = [...totals, ...totals.map((total) => total.plus(amount))];
  return totals.some(
    (total) => !total.isZero() && wrong.times(of).minus(usual.times(total)).absolute().compare(tolerance) <= 0,
  );
}

/** Returns the amounts of the calls of one kind that a wrong balance may belong to. */
export function amountsOf({ calls = [] }: WrongSum, kind: CallName): readonly Money[] {
  return calls.filter(({ call }) => call === kind).map(({ amount }) => Money.of(amount));
}
