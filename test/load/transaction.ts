import { Money } from '../../src/contract/money.ts';
import type { LoadTransaction } from '../../src/load/wallet.ts';

/** Returns a transaction of a load test that was answered 200, with some fields of its own. */
export function transaction(
  own: Partial<Omit<LoadTransaction, 'amount'>> & { readonly amount: string },
): LoadTransaction {
  const { amount, number = 1, ...rest } = own;
  return {
    number,
    call: 'bet',
    sessionID: 's-1',
    sessionIndex: 0,
    txID: `tx-${number}`,
    roundID: 'round',
    amount: Money.of(amount),
    amountText: amount,
    frID: undefined,
    isFree: false,
    bet: undefined,
    hasBet: true,
    state: 'applied',
    copies: 1,
    inFlight: 0,
    provisional: undefined,
    isCopiedAtOnce: false,
    isRepeatedAtEnd: false,
    isBroken: false,
    status: 200,
    operatorTxID: 'op-1',
    isProcessedAgain: false,
    isOverlapped: false,
    sentAt: 0,
    endedAt: 0,
    sentAtMs: 0,
    ...rest,
  };
}
