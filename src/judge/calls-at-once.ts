import type { Money } from '../contract/money.ts';
import type { Seen } from './check.ts';
import type { Wallet } from './wallet.ts';

/** Calls of one wallet that were sent at the same instant. */
export interface Race {
  readonly seens: readonly Seen[];
  readonly wallet: Wallet;
  /** The balance before, when it was certain. */
  readonly before: Money | undefined;
}

/** Declined; or a bet or a win failed, with an answer: the one is refunded, the other sent again. */
export function isTurnedDown({ answer, reading }: Seen): boolean {
  return answer === 'declined' || (answer === 'failed' && reading?.status === 500);
}
