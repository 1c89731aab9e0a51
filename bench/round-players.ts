/** Whose rounds are played at once. */
export const ROUND_PLAYERS: readonly string[] = Array.from({ length: 16 }, (_, index) => `p${index}`);
export const ROUND_KEY = 'key-of-the-rounds';
