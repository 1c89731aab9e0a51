import type { BalanceEstimate } from '../balances/balance-estimate.ts';
import type { AfterRun } from './after-run.ts';
import type { PastTransaction } from './past-transactions.ts';

/** One item that must be settled after a run: a call to send, or a balance to restore. */
export type OpenItem =
  /**
   * A bet with an unknown outcome, which must be refunded. `refund` is a refund that was already sent for this bet; null if none
   * was sent.
   */
  | { readonly kind: 'refund'; readonly bet: PastTransaction; readonly refund: PastTransaction | null }
  /** A win, or a refund of an accepted bet, that was not answered 200. It must be sent again unchanged. */
  | { readonly kind: 'again'; readonly transaction: PastTransaction }
  /**
   * A round of a killed run that has an accepted bet and no win. croupier completes it with a win of 0, which the service sends for
   * a lost round. While a round is open, some operators decline further bets of the session.
   */
  | { readonly kind: 'round'; readonly bet: PastTransaction }
  /** A wallet whose balance differs from its balance before the run, or is uncertain. */
  | { readonly kind: 'balance'; readonly estimate: BalanceEstimate };

/** Returns all open items of a run according to its journal. Calls come before balances. */
export function openItemsOf(afterRun: AfterRun): readonly OpenItem[] {
  const open = afterRun.open;
  const bets = open.filter(({ call }) => call.call === 'bet');
  const refunded = new Set(bets.map(({ call }) => call.txID));
  return [
    ...bets.map((bet): OpenItem => ({ kind: 'refund', bet, refund: afterRun.refundOf(bet) ?? null })),
    ...open
      .filter(({ call }) => call.call === 'win' || (call.call === 'refund' && !refunded.has(call.origTxID ?? '')))
      .map((transaction): OpenItem => ({ kind: 'again', transaction })),
    ...afterRun.openRounds.map((bet): OpenItem => ({ kind: 'round', bet })),
    ...(afterRun.owesBalances ? afterRun.estimates : [])
      .filter((estimate) => estimate.missing()?.isZero() !== true)
      .map((estimate): OpenItem => ({ kind: 'balance', estimate })),
  ];
}

/** Returns the key of an item. If the list of items is computed again, the same item has the same key. */
export function keyOfItem(item: OpenItem): string {
  switch (item.kind) {
    case 'refund':
      return `refund ${item.bet.call.txID}`;
    case 'again':
      return `${item.transaction.call.call} ${item.transaction.call.txID}`;
    case 'round':
      return `round ${item.bet.call.roundID}`;
    case 'balance':
      return `balance ${item.estimate.walletID}`;
  }
}

export function walletOfItem(item: OpenItem): string {
  switch (item.kind) {
    case 'refund':
    case 'round':
      return item.bet.walletID;
    case 'again':
      return item.transaction.walletID;
    case 'balance':
      return item.estimate.walletID;
  }
}

/** Returns the fields of a refund that follows the contract: it has the session, the round and the whole amount of the bet. */
export function refundFields(
  { bet: { call } }: Extract<OpenItem, { kind: 'refund' }>,
  txID: string,
): Readonly<Record<'sessionID' | 'txID' | 'origTxID' | 'amount', string>> & { readonly roundID?: string } {
  return {
    sessionID: call.sessionID,
    txID,
    origTxID: call.txID,
    amount: call.amountText,
    ...(call.roundID !== null && { roundID: call.roundID }),
  };
}
