import { Money } from '../../contract/money.ts';
import { isDecided, type WalletVerdict } from './verdict.ts';

/**
 * The state of a wallet, the worst first. `owed`: money or a call is owed. `broken`: a reply breaks a rule, and nothing is owed.
 * `service-fault`: the service made a call that it must not make, and the operator made no mistake. `unknown`: the logs do not contain
 * enough to decide.
 */
export const WALLET_STATES = ['owed', 'broken', 'service-fault', 'unknown', 'right'] as const;

export type WalletState = (typeof WALLET_STATES)[number];

/** Returns the state of a wallet. */
export function stateOfWallet(verdict: WalletVerdict, breakers: ReadonlySet<string | null>): WalletState {
  if (verdict.debts.length > 0) return 'owed';
  if (breakers.has(verdict.wallet)) return 'broken';
  if (!isDecided(verdict)) return 'unknown';
  return verdict.serviceFaults.length > 0 ? 'service-fault' : 'right';
}

/** Sorts wallets by their state, the worst first. Among wallets with the same state, the largest difference comes first. */
export function worstFirst(
  wallets: readonly WalletVerdict[],
  breakers: ReadonlySet<string | null>,
): readonly WalletVerdict[] {
  const rank = new Map(wallets.map((one) => [one, WALLET_STATES.indexOf(stateOfWallet(one, breakers))]));
  const sizeOf = ({ difference }: WalletVerdict): Money => difference?.absolute() ?? Money.zero;
  return wallets.toSorted((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0) || sizeOf(b).compare(sizeOf(a)));
}
