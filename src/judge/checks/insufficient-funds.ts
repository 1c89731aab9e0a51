import { Money } from '../../contract/money.ts';
import { breach, type Decision } from '../decision.ts';
import { describeOutcome, type ObservedCall } from '../observed-call.ts';
import { isTakenBet } from '../planned-calls.ts';
import type { Wallet } from '../wallet/wallet.ts';
import { WRONG_BALANCES } from './check.ts';

const TWICE = Money.of('2');

/**
 * True if a bet was declined with `insufficient_funds` although the balance is more than twice the amount of the bet. A
 * smaller difference may come from reserved money, or from a balance that is slightly wrong.
 */
export function isWronglyDeclined(
  { planned, answer, reading, amount, effect }: Omit<ObservedCall, 'isWronglyDeclined'>,
  wallet: Wallet | null,
): boolean {
  if (!isTakenBet(planned) || planned.group !== null || !planned.signedRight || planned.sameTxID !== null) return false;
  if (answer !== 'declined' || reading?.code !== 'insufficient_funds' || !amount || effect.isZero()) return false;
  const held = wallet?.certain();
  return held !== undefined && held.compare(amount.times(TWICE)) > 0;
}

/**
 * Returns the reason why a declined bet is not judged: the balance was too low, and the bet is not in the first session of the
 * scenario. A scenario can require a minimum balance only for its first session. Otherwise returns undefined.
 */
export function otherWalletTooLow({
  planned,
  answer,
  reading,
  exceedsBalance: isBeyond,
}: ObservedCall): string | undefined {
  return isTakenBet(planned) &&
    planned.step.session !== 'main' &&
    isBeyond &&
    answer === 'declined' &&
    reading?.code === 'insufficient_funds'
    ? 'the balance of the other session is less than the amount of the bet'
    : undefined;
}

/**
 * Returns the breach of `bet.exact-balance` for a bet that was wrongly declined. This rule fits, because a player who can bet the
 * whole balance must also be able to bet a part of it.
 */
export function breachOfWrongDecline(observed: ObservedCall, wallet: Wallet | null): Decision {
  return breach(
    `a bet of ${observed.amount} is not declined with \`insufficient_funds\` while the balance is ${wallet?.certain()}`,
    describeOutcome(observed),
    [...WRONG_BALANCES, 'bet.decimal-amount', 'session.isolated', 'money.conservation'],
  );
}
