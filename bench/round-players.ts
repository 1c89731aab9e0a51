/** The ids of the players whose rounds are played in parallel. */
export const ROUND_PLAYERS: readonly string[] = Array.from({ length: 16 }, (_, index) => `p${index}`);
export const ROUND_KEY = 'key-of-the-rounds';
