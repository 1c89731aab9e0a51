/** How often a scenario is played that a passing trouble kept from being decided. */
export const MOST_ATTEMPTS = 3;

const MOST_ATTEMPTS_AT_RANDOM = 6;

/** How often, where calls may fail now here, now there: one may fail thrice in a row by chance, and another time it may not. */
export function mostAttempts(atRandom: boolean): number {
  return atRandom ? MOST_ATTEMPTS_AT_RANDOM : MOST_ATTEMPTS;
}
