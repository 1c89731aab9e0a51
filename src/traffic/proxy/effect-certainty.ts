import type { LoggedCall } from '../calls/logged-call.ts';
import { isSameContent } from '../timeline/excuses.ts';
import type { EndedCall, Wallet } from './wallet.ts';
import { keyOf } from './wallet-history.ts';

/**
 * The wallet of a transaction, and the key of the transaction in this wallet. `forgotten` means that croupier no longer keeps the
 * transaction in memory.
 */
export type Owner = { readonly wallet: string; readonly key: string } | 'forgotten';

/** Says whether the effect of a call on balances is known. `alsoIn` names a second wallet whose balance is uncertain too. */
type EffectCertainty = 'certain' | 'uncertain' | { readonly alsoIn: string };

/**
 * Decides whether the effect of a call on balances is known. The effect is known if the call is well-formed, and if the proxy saw
 * all calls on which this effect depends. If the effect is unknown, the balances after this call are unknown too.
 */
export function effectCertainty(
  { logged, isWellFormed }: EndedCall,
  wallet: Wallet,
  owner: Owner | undefined,
  ownerOf: (txID: string) => Owner | undefined,
): EffectCertainty {
  const { call, txID } = logged.seen;
  if (!isWellFormed) return 'uncertain';
  if (call === 'balance') return 'certain';
  if (txID === null || owner === 'forgotten') return 'uncertain';
  if (owner !== undefined && owner.wallet !== wallet.name) return { alsoIn: owner.wallet };
  const key = keyOf(logged);
  if ((owner !== undefined && owner.key !== key) || wallet.history.uncertain.has(key)) return 'uncertain';
  if (hasOtherContent(logged, wallet, key)) return 'uncertain';
  switch (call) {
    case 'bet':
      return 'certain';
    case 'win':
      return hasBet(logged, wallet) ? 'certain' : 'uncertain';
    case 'refund':
      return refundCertainty(logged, wallet, ownerOf);
  }
}

/** True if the `txID` of a call was used before with another amount, round, session or bet. The operator may then decline the call. */
function hasOtherContent({ seen }: LoggedCall, { history }: Wallet, key: string): boolean {
  const first = history.transaction(key)?.attempts[0];
  return first !== undefined && !isSameContent(first.seen, seen);
}

/**
 * True if the proxy saw that the operator accepted a bet of the win's round, and saw no refund of this bet. Without such a bet, the
 * effect of the win is not known: the operator may decline it, or may have paid it before the proxy started.
 */
function hasBet({ seen }: LoggedCall, { history }: Wallet): boolean {
  const round = seen.roundID === null ? [] : history.round(seen.roundID);
  const bets = round.filter(({ call, key }) => call === 'bet' && !history.uncertain.has(key));
  const refunded = new Set(round.flatMap(({ call, origTxID }) => (call === 'refund' ? [origTxID] : [])));
  return bets.some(({ state, txID }) => state === 'accepted' && !refunded.has(txID));
}

function refundCertainty(
  { seen, amount }: LoggedCall,
  wallet: Wallet,
  ownerOf: (txID: string) => Owner | undefined,
): EffectCertainty {
  const { history } = wallet;
  const owner = seen.origTxID === null ? undefined : ownerOf(seen.origTxID);
  if (owner === undefined) return 'certain';
  if (owner === 'forgotten') return 'uncertain';
  if (owner.wallet !== wallet.name) return { alsoIn: owner.wallet };
  const bet = seen.origTxID === null ? undefined : history.bets.get(seen.origTxID);
  if (!bet || history.uncertain.has(bet.key)) return 'uncertain';
  if (bet.amount === null || amount === null || !bet.amount.equals(amount)) return 'uncertain';
  if (bet.attempts.some((placed) => placed.seen.sessionID !== seen.sessionID)) return 'uncertain';
  const isSettled = bet.roundID !== null && history.round(bet.roundID).some(({ call }) => call === 'win');
  return isSettled ? 'uncertain' : 'certain';
}
