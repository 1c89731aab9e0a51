/** The text that stands in place of a removed value. */
export const MASK = '***';
