import { Money } from '../../contract/money.ts';
import { absoluteMoney, highestSums, type MoneySums, type WrongSum } from '../money-sums.ts';

/** The limits that a baseline entry notes for sums by which replies are wrong. */
export interface NotedReplies {
  /** The highest sum of a single reply. */
  readonly maxReplySums?: MoneySums | undefined;
  /** True if a reply may also be wrong by the amount of its call. For example, the reply to a win has the balance before the win. */
  readonly replyAmounts?: true | undefined;
}

/** True if a reply is wrong by the amount of its call. */
export function isOfAmount({ amount, moved }: WrongSum): boolean {
  return moved !== undefined && absoluteMoney(amount)?.equals(Money.of(moved)) === true;
}

/**
 * Returns the highest sum of each currency by which replies are wrong. Sums of scenarios whose amounts depend on the balance are left
 * out.
 *
 * @param replyAmounts true: the sums that are the amount of their call are left out too
 */
export function highestReplied(sums: readonly WrongSum[], replyAmounts: true | undefined): MoneySums {
  const compared = sums.filter((sum) => !sum.varies && !(replyAmounts && isOfAmount(sum)));
  return highestSums(compared.map(({ amount, currency }) => ({ [currency ?? '']: amount.replace(/^-/, '') })));
}
