import { Money } from '../contract/money.ts';
import { breach, type Decision, described, type Seen, WRONG_BALANCES } from './check.ts';
import { isTakenBet } from './story.ts';
import type { Wallet } from './wallet.ts';

const TWICE = Money.of('2');

/**
 * True when a bet was declined for want of money although there is more than twice as much as it asks for. Of less than
 * half nobody can say that it was a matter of what is set aside, or of a balance that is not quite what it should be.
 */
export function isDenied(
  { part, answer, reading, amount, effect }: Omit<Seen, 'isDenied'>,
  wallet: Wallet | null,
): boolean {
  if (!isTakenBet(part) || part.group !== null || !part.signedRight || part.namesake !== null) return false;
  if (answer !== 'declined' || reading?.code !== 'insufficient_funds' || !amount || effect.isZero()) return false;
  const held = wallet?.certain();
  return held !== undefined && held.compare(amount.times(TWICE)) > 0;
}

/**
 * Why a bet was declined that another player's wallet is too poor for. A scenario says what the wallet of its first session
 * must hold, and of no other.
 */
export function wantOfOther({ part, answer, reading, isBeyond }: Seen): string | undefined {
  return isTakenBet(part) &&
    part.step.session !== 'main' &&
    isBeyond &&
    answer === 'declined' &&
    reading?.code === 'insufficient_funds'
    ? 'the wallet of the other session holds less than the bet asks for'
    : undefined;
}

/** What the denial says about `bet.exact-balance`: who may bet all that is there may bet a part of it. */
export function breachOfDenial(seen: Seen, wallet: Wallet | null): Decision {
  return breach(
    `a bet of ${seen.amount} is not declined for want of money while the balance is ${wallet?.certain()}`,
    described(seen),
    [...WRONG_BALANCES, 'bet.decimal-amount', 'session.isolated', 'money.conservation'],
  );
}
