/** 24 hours in milliseconds. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** Maximum time from the last byte of a request to the last byte of its reply (contract, Limits). */
export const REPLY_DEADLINE_SECONDS = 5;

/** {@link REPLY_DEADLINE_SECONDS} in milliseconds. */
export const REPLY_DEADLINE_MS = REPLY_DEADLINE_SECONDS * 1000;

/** Length of the rolling window, in months, in which a `txID` is unique (contract, Limits). */
export const TX_ID_WINDOW_MONTHS = 3;

/** {@link TX_ID_WINDOW_MONTHS} in days. Three months in a row have at least 89 days, from February to April. */
export const TX_ID_WINDOW_DAYS = 89;

/** Maximum length of a campaign of free rounds with `validUntil`, in days (contract, Limits). */
export const MAX_CAMPAIGN_DAYS = 30;

/** Default life of a game session of the service, in hours. The contract does not state it. */
export const SESSION_LIFE_HOURS = 4;

/** {@link SESSION_LIFE_HOURS} in milliseconds. */
export const SESSION_LIFE_MS = SESSION_LIFE_HOURS * 60 * 60 * 1000;
