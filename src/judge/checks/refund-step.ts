import type { RuleId } from '../../contract/catalogue.ts';
import type { Money } from '../../contract/money.ts';
import type { Seen } from '../check.ts';
import { fieldOf } from '../expected-sum.ts';
import type { Offset } from '../obligation.ts';
import type { Part } from '../story.ts';

/** A refund that does not repeat another. */
export const isNewRefund = ({ step }: Part): boolean => step.call === 'refund' && step.origin.kind === 'fresh';

/** Sent as the service sends it, alone; the story may leave open how it is answered. */
export const isMeant = (part: Part): boolean =>
  isNewRefund(part) && part.regular && part.namesake === null && part.step.session !== 'unknown';

/** It names a call of another session. */
export const isForeign = (part: Part): boolean =>
  part.target !== null && part.target.step.session !== part.step.session;

/** The amount that it tells is not that of the bet. */
export const hasAmountOfItsOwn = (part: Part): boolean => {
  const own = fieldOf(part.step, 'amount');
  const bets = part.target && fieldOf(part.target.step, 'amount');
  return Boolean(own && bets) && JSON.stringify(own) !== JSON.stringify(bets);
};

/** A refund without a round is a twist of its own, and whatever is judged about refunds is judged by one that has a round. */
export const hasRound = ({ step }: Part): boolean => step.roundID !== null;

/** How the balance would differ if `amount` had been paid; nothing while there is no reply. */
export function paid(seen: Seen, amount: Money | undefined, meaning: string, causes: readonly RuleId[] = []): Offset[] {
  return amount && !amount.isZero() && seen.reading ? [{ by: amount, meaning, causes }] : [];
}

/** The bet's own amount; the refund's where the bet is not known. */
export function refundedSum(seen: Seen): Money | undefined {
  return seen.target?.amount ?? seen.amount;
}
