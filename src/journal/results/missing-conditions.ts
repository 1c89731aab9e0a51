/** The separator of the conditions in the reason of a skipped scenario. */
const BETWEEN = '; ';

/** Joins everything that a scenario needs and does not have, so that the reader sees all conditions at once. */
export function reasonOfConditions(conditions: readonly string[]): string {
  return conditions.join(BETWEEN);
}

/** Returns the conditions in the reason of a skipped scenario. Returns any other reason as one condition. */
export function conditionsIn(reason: string | null): readonly string[] {
  return reason === null ? [] : reason.split(BETWEEN);
}
