import { Money } from '../../contract/money.ts';
import type { WalletVerdict } from './verdict.ts';

/**
 * The state of a wallet, the worst first. `owed`: money or a call is owed. `broken`: a reply breaks a rule, and nothing is owed.
 * `unknown`: the logs do not contain enough to decide.
 */
export const WALLET_STATES = ['owed', 'broken', 'unknown', 'right'] as const;

export type WalletState = (typeof WALLET_STATES)[number];

/** Returns the state of a wallet. */
export function stateOfWallet(
  { wallet, debts, difference, unknowns }: WalletVerdict,
  breakers: ReadonlySet<string | null>,
): WalletState {
  if (debts.length > 0) return 'owed';
  if (breakers.has(wallet)) return 'broken';
  return difference === null || unknowns.length > 0 ? 'unknown' : 'right';
}

/** Sorts wallets: the worst first, and the largest differences first among wallets with the same state. */
export function worstFirst(
  wallets: readonly WalletVerdict[],
  breakers: ReadonlySet<string | null>,
): readonly WalletVerdict[] {
  const rank = new Map(wallets.map((one) => [one, WALLET_STATES.indexOf(stateOfWallet(one, breakers))]));
  const sizeOf = ({ difference }: WalletVerdict): Money => difference?.absolute() ?? Money.zero;
  return wallets.toSorted((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0) || sizeOf(b).compare(sizeOf(a)));
}
