/** The state of a player's session at the operator. `expired` means that the operator has ended the session. */
export const SESSION_STATES = ['active', 'expired'] as const;

export type SessionState = (typeof SESSION_STATES)[number];
