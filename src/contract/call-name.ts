/** The four reverse calls, by the last part of their usual path (contract, Integration Adapter). */
export type CallName = 'balance' | 'bet' | 'win' | 'refund';

/** In the order in which the contract lists them. */
export const CALL_NAMES: readonly CallName[] = ['balance', 'bet', 'win', 'refund'];
