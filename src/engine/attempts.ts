/** How often a scenario is played that a passing trouble kept from being decided. */
export const MOST_ATTEMPTS = 3;
