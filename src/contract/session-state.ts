/** The state of a player's session at the operator. `expired`: the operator has ended it. */
export const SESSION_STATES = ['active', 'expired'] as const;

export type SessionState = (typeof SESSION_STATES)[number];
