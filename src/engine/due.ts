import type { Aftermath } from './aftermath.ts';
import type { PastTransaction } from './past-transactions.ts';
import type { Reckoning } from './reckoning.ts';

/** One thing that a run still owes. */
export type Due =
  /** A bet without a known outcome is to be refunded; by the refund that was sent for it already, where there is one. */
  | { readonly kind: 'refund'; readonly bet: PastTransaction; readonly refund: PastTransaction | null }
  /** A win, or the refund of an accepted bet, is to be sent again as it was. */
  | { readonly kind: 'again'; readonly transaction: PastTransaction }
  /** A wallet does not hold what it held before the run, or nobody can tell whether it does. */
  | { readonly kind: 'balance'; readonly reckoning: Reckoning };

/** Everything that is owed by a journal's account, calls before balances. */
export function everythingDue(aftermath: Aftermath): readonly Due[] {
  const open = aftermath.open;
  const bets = open.filter(({ call }) => call.call === 'bet');
  const refunded = new Set(bets.map(({ call }) => call.txID));
  return [
    ...bets.map((bet): Due => ({ kind: 'refund', bet, refund: aftermath.refundOf(bet) ?? null })),
    ...open
      .filter(({ call }) => call.call === 'win' || (call.call === 'refund' && !refunded.has(call.origTxID ?? '')))
      .map((transaction): Due => ({ kind: 'again', transaction })),
    ...aftermath.reckonings
      .filter((reckoning) => reckoning.missing()?.isZero() !== true)
      .map((reckoning): Due => ({ kind: 'balance', reckoning })),
  ];
}

/** Stays the same for one due from one look to the next. */
export function keyOfDue(due: Due): string {
  switch (due.kind) {
    case 'refund':
      return `refund ${due.bet.call.txID}`;
    case 'again':
      return `${due.transaction.call.call} ${due.transaction.call.txID}`;
    case 'balance':
      return `balance ${due.reckoning.walletID}`;
  }
}

export function walletOfDue(due: Due): string {
  switch (due.kind) {
    case 'refund':
      return due.bet.walletID;
    case 'again':
      return due.transaction.walletID;
    case 'balance':
      return due.reckoning.walletID;
  }
}

/** The contract's refund of a bet: of the whole amount, in the same round. */
export function refundFields(
  { bet: { call } }: Extract<Due, { kind: 'refund' }>,
  txID: string,
): Record<string, string> {
  const { amount } = JSON.parse(call.body) as { amount: string };
  return {
    sessionID: call.sessionID,
    txID,
    origTxID: call.txID,
    amount,
    ...(call.roundID !== null && { roundID: call.roundID }),
  };
}
