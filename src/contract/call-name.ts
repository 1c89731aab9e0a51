/** The four reverse calls, in the order of the contract (Integration Adapter). A name is the last part of the usual path. */
export const CALL_NAMES = ['balance', 'bet', 'win', 'refund'] as const;

export type CallName = (typeof CALL_NAMES)[number];

/** The reverse calls that move money. Each of them has a `txID`. */
export const TRANSACTION_CALLS = ['bet', 'win', 'refund'] as const;

export type TransactionCall = (typeof TRANSACTION_CALLS)[number];

/** The `type` of a bet or win. `free` marks an action of a free-rounds campaign. */
export const ACTION_TYPES = ['regular', 'free'] as const;

export type ActionType = (typeof ACTION_TYPES)[number];
