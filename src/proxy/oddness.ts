import type { ToldCall } from '../incident/story/told-call.ts';
import type { Ended, Wallet } from './wallet.ts';
import { keyOf } from './wallet-books.ts';

/** Whose a transaction is; null: it was forgotten; undefined: it was never seen. */
type Owner = { readonly wallet: string; readonly key: string } | null | undefined;

/**
 * Whether a call is one that the service makes, and of which all that matters passed here. Of any other the contract leaves the effect
 * open, or it can't be known: then balances are unknown afterwards, and the odd call's own wallet may not be the only one.
 */
export function oddnessOf(
  { told, isWellFormed }: Ended,
  wallet: Wallet,
  owner: Owner,
  ownerOf: (txID: string) => Owner,
): 'usual' | 'odd' | { readonly alsoOf: string } {
  const { call, txID } = told.seen;
  if (!isWellFormed) return 'odd';
  if (call === 'balance') return 'usual';
  if (txID === null || owner === null) return 'odd';
  if (owner !== undefined && owner.wallet !== wallet.name) return { alsoOf: owner.wallet };
  const key = keyOf(told);
  if ((owner !== undefined && owner.key !== key) || wallet.books.odd.has(key)) return 'odd';
  switch (call) {
    case 'bet':
      return hasOtherAmount(told, wallet, key) ? 'odd' : 'usual';
    case 'win':
      return hasOtherAmount(told, wallet, key) || !hasBet(told, wallet) ? 'odd' : 'usual';
    case 'refund':
      return oddRefund(told, wallet, ownerOf);
  }
}

function hasOtherAmount({ amount }: ToldCall, { books }: Wallet, key: string): boolean {
  const earlier = books.transaction(key)?.amount;
  return earlier != null && (amount === null || !earlier.equals(amount));
}

/** A win whose bet did not pass here may have been paid before, and one whose bet was given back may be refused. */
function hasBet({ seen }: ToldCall, { books }: Wallet): boolean {
  const round = seen.roundID === null ? [] : books.round(seen.roundID);
  const bets = round.filter(({ call, key }) => call === 'bet' && !books.odd.has(key));
  const refunded = new Set(round.flatMap(({ call, origTxID }) => (call === 'refund' ? [origTxID] : [])));
  return bets.some(({ state, txID }) => state === 'accepted' && !refunded.has(txID));
}

function oddRefund(
  { seen, amount }: ToldCall,
  wallet: Wallet,
  ownerOf: (txID: string) => Owner,
): 'usual' | 'odd' | { readonly alsoOf: string } {
  const { books } = wallet;
  const owner = seen.origTxID === null ? undefined : ownerOf(seen.origTxID);
  if (owner === undefined) return 'usual';
  if (owner === null) return 'odd';
  if (owner.wallet !== wallet.name) return { alsoOf: owner.wallet };
  const bet = seen.origTxID === null ? undefined : books.bets.get(seen.origTxID);
  if (!bet || books.odd.has(bet.key)) return 'odd';
  if (bet.amount === null || amount === null || !bet.amount.equals(amount)) return 'odd';
  const isSettled = bet.roundID !== null && books.round(bet.roundID).some(({ call }) => call === 'win');
  return isSettled ? 'odd' : 'usual';
}
