/** How often a scenario is played that a passing trouble kept from being decided. */
export const MOST_ATTEMPTS = 3;
/** How often where the operator fails now here, now there: another time it may not. */
export const MOST_ATTEMPTS_AT_RANDOM = 6;
